"""The broker: a durable log with named topics, behind one port, and the two protocols that need it.

The agent of each cluster publishes events of runs to ``run-events-<cluster>``; the scheduler consumes them under the
subscription ``scheduler``. Heartbeats of all clusters share one topic. ``topics`` knows every name.

How a message flows:

1. ``publish.publisher.Publisher`` reads rows of an outbox, in order, and sends each through a ``port.Producer``.
2. The broker stores it. Sequence ids let it drop what it has already; the outbox hears which rows are safe.
3. ``consume.consumer.Consumer`` receives batches through a ``port.Subscription``, has them handled, and acknowledges.
4. A message that can never be handled becomes a dead letter (``dead_letters``) in a separate topic. It stays
   there until somebody drops it; ``failctl dlq replay`` sends the original message to a replay topic that only the
   subscription that failed consumes.

``port`` says what a broker must do, and which errors it raises. Two brokers fit it: ``eventlog``, a SQLite file shared
by the processes of one machine, and ``pulsar``, Apache Pulsar. ``connect`` chooses by the scheme of the address.
``lazy`` is for processes that must start although the broker is unreachable.

Guarantees: delivery is at least once, and messages of one key reach one consumer in order, except that a message given
back may come after later ones of its key. A killed publisher sends again what was not acknowledged; a killed consumer
gets again what it did not acknowledge. Nothing here makes an effect happen exactly once: the stores on both sides do,
because they know each event by its id.

Start with ``port``. To add a broker, implement it and run ``tests/broker/contract.py`` against it.
"""
