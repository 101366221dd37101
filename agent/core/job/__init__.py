"""Kubernetes Jobs and their indexes, exactly as upstream, as pure functions.

A1 to A11 in comments are the sections of reference/kubernetes-job-and-jobset.md part A; names in parentheses, such as
``isPodFailed``, are the functions of Kubernetes that are followed.

There are three ways in:

- **A step**: ``advance.advance(counters, changed pods, now)`` gives a ``Delta`` (what changed in the status) and
  ``Effect``s (create, delete, release a pod, or take another step after some time). ``counters.Counters`` is the memory
  of one Job, made by ``open_job`` from the status and all pods; after that a step costs what changed, not what exists.
  A step takes stock of finished pods, asks whether the Job is to end (``finishing``, ``limits``), else brings the
  number of pods to what is wanted (``manage``, ``backoff``), and accounts for finished pods.
- **A verdict on one failed pod**: ``decide.decide_job``. The Job's ``podFailurePolicy`` speaks first, then our own
  ``rules``, then retry policies if the Job asks for them, else the failure counts. Every limit is asked; each can only
  forbid. ``explanation`` puts it in words.
- **Reading and checking**: ``reading`` makes a ``JobSpec`` (``words``) of plain values, ``defaults`` fills in what the
  API server does, and the ``validation*`` modules refuse what it refuses, in its order and words.

If the process dies in the middle of a step, ``open_job`` starts from the status and the pods again. Pods named in
``uncountedTerminatedPods`` are counted once, as upstream does (``uncounted``). The effects of a step must be carried
out and seen before the next, which is what upstream's expectations are for.

Where a Job may choose to differ from upstream (``choices``), no choice means as upstream. ``play`` carries effects out
on pods that are values; ``outcome`` lets pods end on top of it, for ``failctl job simulate`` and tests. So far no
process runs Jobs by this room; ``failctl`` and the checks of manifests use it.
"""
