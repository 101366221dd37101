"""From a batch of messages to committed verdicts.

``handler.Decisions.handle`` decodes each message, opens a transaction that locks the decision scopes of the batch,
stores the failures that are new, reads which runs have a verdict already and the history of each job, lets
``batch.decide_batch`` decide, and writes the verdicts and run states. ``batch`` is pure: to change what is decided on,
go there; for how it is decided, to ``agent.core.decision``.

The row of a failure is the record that its event was consumed, so a batch may come twice. A run gets at most one
verdict: the first end or halt decides, everything later is evidence. A message that cannot be decoded is a
``PoisonError``, an unreachable store a ``TransientError``; ``agent.broker.consume`` says what follows from each.
``StoredAttempts`` keeps the count of failed attempts in the same store.
"""
