"""Receive, handle, acknowledge: what every consumer of a topic does.

Input: deliveries of a ``port.Subscription``. Output: batches to a ``Handle`` that stores their effect, then
acknowledgements, messages given back, and dead letters.

``consumer.Consumer`` subscribes to every topic that its ``Source`` names, and again when there is a new one. It takes
up to 500 messages or what comes within 50 ms, and hands them to ``batch.Batch``. A batch is handled as a whole. If
that fails it is halved until it contains only the failing message:

- ``PoisonError``: the message can never be handled. It becomes a dead letter at once.
- ``TransientError``: nothing is wrong with the messages (the store is unavailable, say). Nothing is counted; the batch
  is tried again after a back-off, and given back to the broker if that does not help.
- ``NewerVersionNeeded``: only a later version can handle these messages, as ``newer`` says where people look. They are
  kept for a while, then given back, for as long as it takes; nothing is counted.
- Any other error is counted against the message in ``Attempts``, and the message is given back. At the limit
  (``ConsumeLimits.attempts``) it becomes a dead letter. Later messages of its key in the batch are given back with it;
  other keys go on.

The count lives in the handler's store, because brokers forget theirs when a consumer reconnects. A consumer that is
killed loses nothing: whatever was not acknowledged is delivered again, so a handler must take a message twice with the
effect of once.

Start with ``Batch.settle``.
"""
