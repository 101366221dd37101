"""Lookout: every failure of every cluster, stored where people can look it up without slowing a decision.

``app`` wires one process: settings (``config``), the database (``store``), the broker, one consumer thread whose
handler is ``ingest.handler.Ingest``, a reloader thread and the health server. ``command`` is its command line.
``prune`` deletes what is past its time, in a thread of its own, while the consumer goes on. ``writer`` sees to it that
a SQLite database has one process that writes; on Postgres several share the topics' keys.

How a message flows: the consumer receives a batch of run events, job events and heartbeats, ``ingest.handler`` decodes
it, and ``store.recording`` writes the rows and what they add to the rollups in one transaction. Only then is the batch
acknowledged. Nothing is decided here, and nothing is sent.

What holds when the process is killed: a batch that was not committed left no trace, one that was committed but not
acknowledged comes again and changes nothing. An unreachable database stops the consumer, not the process: readiness
turns red, messages wait in the broker. Exit codes: 0 stopped, 1 failed, 2 wrong usage or settings, 3 broker or database
unreachable at start.

Start with ``app.build``.
"""
