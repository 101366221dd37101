"""Apache Pulsar as a broker: the port on top of the library pulsar-client (apache/pulsar-client-python).

``broker.PulsarBroker`` fits ``agent.broker.port.Broker`` and opens everything over one ``client``. ``address`` reads
the URL, ``security`` the files with tokens and certificates, ``address.Names`` turns our topic names into Pulsar's,
``content`` our messages into the library's. ``errors.translated`` surrounds each call of the library and raises the
port's errors.

``producer`` sends with our own sequence ids and without batching, so that the broker's deduplication works; a message
id of -1 means duplicate. ``subscription`` receives with a time limit and acknowledges without waiting. Dead letters
are sent by a producer of our own, because the library's loses the reason and the event time.

``registry`` is a topic in which each topic is announced, with its owner. It replaces the admin API: neither listing
topics nor claiming one needs more rights than to publish and consume.

The library often says no more than ``Timeout``. ``reach`` then asks the broker itself, over a plain socket with the
first of the ``frames`` of its binary protocol, and names the first thing that is wrong: address, TLS or token. Whether
the namespace exists and is open to us, the library reports (``namespace``).
``ping`` gives readiness an answer within seconds; ``preflight`` is ``failctl broker check``, which also compares the
``policies`` of the namespace (read by ``admin``) with what we need. ``statistics`` asks the admin API how far a
subscription has acknowledged a topic (``positions``); ``dead_letter_keys`` needs that, too, and ``retention``, which
says what a topic retains. ``reader`` reads that, whoever consumed it, without a subscription.

Guarantees when something dies: the library reconnects by itself. After the patience that settings give
(``operationTimeout``) sends and receives raise ``Unreachable``, and the caller reconnects. What was not acknowledged
is delivered again.

Start with ``broker``; the traps of the library are tested in ``tests/broker/pulsar/test_traps.py``.
"""

from agent.broker.pulsar.broker import PulsarBroker

__all__ = ["PulsarBroker"]
