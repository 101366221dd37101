"""The event log: a durable broker in one SQLite file, shared by several processes of one machine.

``log.EventLog`` fits ``agent.broker.port.Broker``. There is no server: each producer and each subscription has its own
connection to the file (write-ahead log), and every step is one transaction. ``database`` holds the tables.

How a message flows: ``producer.LogProducer`` queues it; its thread commits all that wait at once. Inside that
transaction ``fencing`` says whether this producer may still send, the sequence id says whether the message is there
already, and ``topics.append`` inserts the message and one row of ``pending`` for each subscription. A
``subscription.LogSubscription`` polls SQLite's ``data_version``; when it changed, ``deliveries`` finds what the
consumer may be given: unassigned, its slot (``slots`` spreads keys over consumers), and no message of the same key
before it that somebody else holds or that waits to be delivered again. An acknowledgement deletes the row of
``pending``. ``retention`` drops messages that no subscription needs any more. ``reader`` reads what is left, whoever
consumed it.

Guarantees when something dies:

- A producer's process: what was reported stored is on disk (synchronous FULL); the rest was not reported.
- A consumer's process: its lease (3 s, renewed by a thread of ``EventLog``) runs out; the next consumer that looks
  removes it and may take its messages. A consumer that was only frozen joins again.
- The machine: acknowledgements of the last moments may be lost (synchronous NORMAL), and their messages come again.
- The file is locked for long, or the disk is full: ``Unreachable``. Damaged or of another version: ``UnusableLog``, and
  nothing is written.
- The file was deleted, moved or replaced after it was opened (``agent.open_file``): ``Unreachable`` before each commit
  and each new connection, until it is back. It is created only by ``EventLog.open``.

All times come from one clock, the machine's; a lease or delay too far ahead was written before the clock was set back.
Start with ``log``, then ``subscription``.
"""

from agent.broker.eventlog.database import UnusableLog
from agent.broker.eventlog.log import EventLog, LogSettings
from agent.broker.eventlog.retention import Retention

__all__ = ["EventLog", "LogSettings", "Retention", "UnusableLog"]
