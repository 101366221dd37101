"""Pure decisions: what a failure means, and what happens next.

Nothing in this package does I/O, waits, logs or draws random numbers. Functions take values and return values; the time
and every random draw are arguments. A decision can therefore be repeated, explained and tested without a cluster, and a
process that dies in the middle of one loses nothing: the callers (the agent in a cluster, the scheduler, failctl) own
all state, and keep it in the spool or the store.

The modules at the top level define the shared types. ``evidence`` is what was known about a pod, its events and its
node when a run failed. ``failure`` is the result: a classified ``Failure`` in a ``RunEvent``, which is sent through the
broker. ``run``, ``history``, ``limit`` and ``heartbeat`` are the other inputs of a decision: the run, the counts of
earlier verdicts, the result of a limit, and a cluster's nodes. ``units``, ``memo`` and ``exit_status`` are helpers.

The packages, from the bottom up:

- ``identity``: rules that map a pod to its run, by its labels, annotations and owners.
- ``classify``: applies category rules to evidence and returns a ``Classification``.
- ``admission``: the pod conditions that follow from a classification, for Jobs that act on them.
- ``summary``: builds the ``Failure`` from evidence and classification: redacted, bounded, ready to be stored.
- ``failure_text``: describes a failure for people: whose fault, what happened, which text decided that, what to do
  next.
- ``error_table``: applies PanDA's table of error rules to a failure: limits, more memory, more time.
- ``retry``: applies retry policies to a failure: the rule that decides, its limits, the delay, nodes to avoid.
- ``decision``: the verdict on one run or one generation of a gang, by retry policies or the legacy formula, with the
  error table, and its explanation.
- ``submission``: a job as people submitted it, and what its pod may not ask for.
- ``lifecycle``: a job submitted to us: its runs, what each input does to them, and the commands that follow.
- ``job``: a Kubernetes Job, with upstream's exact counting and completion, and our additions.
- ``jobset``: a JobSet over such Jobs.

Two paths lead through these packages. In a cluster: ``classify.classifier.Classifier.classify``, then
``summary.summary.summarise``. In the scheduler: ``retry.effective.resolve_policies``, then ``decision.decide.decide``.
Start with ``failure``, then read ``decision.decide``.
"""
