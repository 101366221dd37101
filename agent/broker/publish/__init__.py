"""The publish protocol: rows of a durable outbox become messages of one topic, in order, none lost.

Input: the rows of an ``outbox.Outbox`` (the spool of a cluster implements it), numbered from 1 without reuse. Output:
messages whose sequence id is the row's number, under a producer name that holds the spool id.

One round of ``publisher.Publisher``: open a producer; recover, that is ask for the highest number the broker has
stored and mark the rows up to it as acknowledged; then send, settle and rest until stopped. ``in_flight.RowsInFlight``
keeps count of what one producer has sent and how each send ended. ``record_sent`` is made durable before a row is
sent, so that after a crash the outbox knows the highest number that the broker may hold.

Guarantees when something dies:

- The process: rows without an acknowledgement are still in the outbox. Recovery marks those that were stored.
- The broker or the network: any failure closes the producer. After a back-off a new one begins at the lowest row that
  is not acknowledged.
- The outbox was restored from an old copy: the broker knows higher numbers than the outbox ever sent, and would drop
  new rows as duplicates. ``SequenceConflict`` is raised, and the rows are numbered from 1 under a new spool id.
- A row is larger than any broker takes: it is rejected to the outbox, and does not hold up the others.
- Another producer takes over the topic: an exclusive publisher is fenced and keeps every row until ``resume``.

Start with ``Publisher.run``. It is part of the step ``numbers`` of docs/protocol.md. Pulsar drops a message whose
sequence id is not above the highest one it has stored for this producer name (PIP-6).
"""
