"""JobSets and their failure policy, as pure functions over child Jobs.

Upstream is kubernetes-sigs/jobset at 08dfbdfd: pkg/controllers (jobset_controller.go, failure_policy.go) and
pkg/webhooks/jobset_webhook.go; its KEP-262 describes the failure policy. Names in parentheses, such as
``getChildJobs``, are functions there. docs/jobsets.md lists the differences.

``advance.advance`` is one step of upstream's ``reconcile``. Start reading there. Input: the ``JobSet``, its status, our
``JobSetMemory``, and the observed state (``Observed``: child Jobs, pods, limits of other layers). Output: a
``JobSetStep`` with the new status and memory, effects (create, delete, suspend a Job), events, and the verdict, if any.

The order of a step:

1. ``owned`` sorts the child Jobs: those of an earlier attempt are deleted, the others are active, successful or failed.
2. If a Job failed: ``case.propose`` returns what the failure policy proposes, ``decide`` checks every limit
   (``limits``), and ``apply`` writes the verdict into the status. A limit can only turn a restart into the end of the
   JobSet.
3. Else, if enough Jobs succeeded, the JobSet completes.
4. Else ``creating`` creates missing Jobs and resumes suspended ones, by restart strategy, startup order and delay.
   ``in_place`` is the other way to restart: pods stay, and an agent in each pod restarts its containers.

A failed Job is a new failure, judged like a failed pod: ``child.failure_of`` turns a Job's own step into a failure for
its JobSet.

A step that is interrupted is repeated: effects name Jobs, whose names are the same in every attempt. Upstream forgets
its count of restarts when a JobSet is deleted and created again with its name; ``lineage`` keeps the count so that such
a loop ends.

``play`` applies effects to Jobs that are values, and ``simulated`` adds their pods, for ``failctl`` and tests.

No process runs JobSets yet. ``failctl jobset simulate`` is the only program that steps through them; ``failctl lint``
checks manifests with this package, and settings have its ``gates``. So no program imports ``validation_update``, which
refuses changes of a JobSet as upstream's webhook does: a process that runs JobSets needs it.
"""
