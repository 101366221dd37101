"""From a batch of messages to committed verdicts.

``handler.Decisions.handle`` decodes each message and opens a transaction that locks the decision scopes of the batch.
``transaction.take`` stores the failures that are new, reads which runs have a verdict already and the history of each
job, lets ``batch.decide_batch`` decide, and writes the verdicts and run states. ``batch`` is pure: to change what is
decided on, go there; for how it is decided, to ``agent.core.decision``. ``counts`` has the metrics.

Events about submitted jobs take another way in the same transaction. ``stored`` reads the jobs they are about;
``submitted.SubmittedJobs`` (pure) takes the events in order: ``reported`` says what each means to its run,
``agent.core.lifecycle`` what follows, and ``agent.scheduler.effects`` writes it. An event belongs to a run by the
recorded cluster and uid of its pod, never by labels. What comes before the uid is recorded is kept and taken then; a
pod that cannot be recorded any more is observed, under its own uid.

``listed`` takes the pages of lists of the pods of runs. They are kept until the list is whole, so that it survives the
scheduler that took its first page; what follows from a whole one, the leader sees (``agent.scheduler.schedule``). The
pods in a page count as created at once.

The row of a failure is the record that its event was consumed, so a batch may come twice. A run gets at most one
verdict: the first end or halt decides, everything later is evidence. A message that cannot be decoded is a
``PoisonError``, an unreachable store a ``TransientError``; ``agent.broker.consume`` says what follows from each.
``StoredAttempts`` keeps the count of failed attempts in the same store.
"""
