"""Kubernetes Jobs and their indexes, exactly as upstream, as pure functions.

Upstream is kubernetes/kubernetes about v1.32: pkg/controller/job (job_controller.go, and next to it
pod_failure_policy.go, backoff_utils.go and indexed_job_utils.go), pkg/apis/batch/validation/validation.go and
pkg/apis/batch/v1/defaults.go. Names in parentheses, such as ``isPodFailed``, are functions there. The KEPs are 3329
(failure policy), 3850 (indexes), 3939 (replacement), 3998 (success policy) and 4368 (managedBy). docs/jobs.md lists
the differences.

There are three entry points:

- **A step**: ``advance.advance(counters, changed pods, now)`` returns a ``Delta`` (what changed in the status) and
  ``Effect``s (create, delete, release a pod, or take another step after some time). ``counters.Counters`` is the state
  of one Job, created by ``open_job`` from the status and all pods; after that the cost of a step depends on what
  changed, not on what exists. A step collects finished pods, checks whether the Job ends (``finishing``, ``limits``),
  else adjusts the number of pods (``manage``, ``backoff``), and accounts for finished pods.
- **A verdict on one failed pod**: ``decide.decide_job``. The Job's ``podFailurePolicy`` decides first, then our own
  ``rules``, then retry policies if the Job uses them; otherwise the failure counts. Every limit is checked and can only
  forbid. ``explanation`` describes the verdict.
- **Reading and checking**: ``reading`` builds a ``JobSpec`` (``words``) from plain values, ``defaults`` applies the API
  server's defaults, and the ``validation*`` modules refuse what it refuses, in its order and with its messages.

If the process dies in the middle of a step, ``open_job`` starts again from the status and the pods. Pods named in
``uncountedTerminatedPods`` are counted once, as upstream does (``uncounted``). The effects of a step must be applied
and observed before the next step; upstream has expectations for this.

Where a Job may choose to differ from upstream (``manifest.Choices``), the default is upstream's behaviour. ``play``
applies effects to pods that are values; ``outcome`` uses it to let pods end, for ``failctl job simulate`` and tests,
and ``marks`` gives the pods that fail our conditions, as the webhook does.

No process runs Jobs yet. ``failctl job simulate`` and ``jobset simulate`` are the only programs that step through them;
``failctl classify`` asks ``decide`` what follows the failure of one pod, ``failctl lint`` checks manifests with this
package, and the scheduler the names of submitted jobs. So no program imports ``explanation`` (of verdicts on pods of
Jobs, which tests combine with retry policies, error tables and JobSets), ``admission``, ``validation_update`` and
``validation_status`` (what happens to a Job that is changed; tests compare it with Kubernetes), and ``metrics``. A
process that runs Jobs needs them all.
"""
