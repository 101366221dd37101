"""Pure decisions: what a failure means, and what happens next.

Nothing in here reads, waits, draws or logs. A function gets values and returns values; the time and every random draw
are arguments. So a decision can be repeated, explained and tested without a cluster, and a process that dies in the
middle of one has lost nothing: the callers (the agent in a cluster, the scheduler, failctl) hold all state, and keep
it in the spool or the store.

On the ground floor stand the words that every room shares. ``evidence`` is what was known of a pod, its events and its
node when a run failed. ``failure`` is what is made of that: a classified ``Failure`` in a ``RunEvent``, which crosses
the broker. ``run``, ``history``, ``limit`` and ``heartbeat`` are what a decision reads beside the failure: the run, the
counts of earlier verdicts, the answer of a limit, and a cluster's nodes. ``units``, ``memo`` and ``exit_status`` are
tools.

Who builds on whom, from the bottom up:

- ``identity`` holds the rules that say whose run a pod is, by its labels, annotations and owners.
- ``classify`` holds evidence against category rules and gives a ``Classification``.
- ``summary`` makes the ``Failure`` of evidence and classification: redacted, bounded, ready to be kept.
- ``failure_text`` says a failure in plain words: whose fault, what it was, what decided that, what to do next.
- ``error_table`` answers a failure from PanDA's table of error rules: limits, more memory, more time.
- ``retry`` holds a failure against retry policies: who speaks, which limits forbid, how long to wait, where not to go.
- ``decision`` is the verdict on one run or one generation of a gang: retry policies or the legacy formula, with the
  error table, and its explanation.
- ``job`` is a Kubernetes Job, exactly as upstream counts and ends it, with our additions.
- ``jobset`` is a JobSet over such Jobs.

Two paths run through these rooms. In a cluster: ``classify.classifier.Classifier.classify``, then
``summary.summary.summarise``. In the scheduler: ``retry.effective.resolve_policies``, then ``decision.decide.decide``.
Begin with ``failure``, then read ``decision.decide``.
"""
