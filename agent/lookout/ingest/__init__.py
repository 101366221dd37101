"""From a batch of messages to rows: what runs, jobs and clusters reported, stored so that it can be looked up.

``handler.Ingest.handle`` decodes each message (``messages``), translates it to entries of the store
(``translation``, pure) and has the store take all entries of the batch in one transaction. ``lag`` knows how far behind
what is stored is. ``topics`` are those that are consumed.

A batch may come twice and in any order: an entry has the id of its event, and the rows are the same whatever came
first (``agent.lookout.store``). A message that cannot be decoded is a ``PoisonError``, an unreachable database a
``TransientError``; ``agent.broker.consume`` says what follows from each.

Start with ``handler.Ingest.handle``.
"""
