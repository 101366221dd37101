"""The scheduler: consumes events of runs from every cluster and decides what happens after each failure.

``app`` wires one process: settings and retry policies (``config``), the store, the broker, one consumer thread whose
handler is ``consume.handler.Decisions``, one for heartbeats, one that leases runs and sends commands if this scheduler
is the leader (``schedule``), a reloader thread for files and one for resources of the store, the API (``service``), and
the health server. ``command`` is its command line.
Several schedulers may run side by side; they share the topics' keys and meet in the store. One of them is the leader.

How an event flows: the consumer receives a batch, ``consume.handler`` decodes it and opens a transaction that locks
the decision scopes in it, ``consume.batch`` decides (pure), and failures, verdicts and run states are committed
together. Of a submitted job, its next state and the commands that follow are part of that (``effects``). Only then is
the batch acknowledged. ``store_clock`` gives the time: the database's on Postgres, so that
delays, windows and limits in time are the same on every scheduler.

What holds when the process is killed: a batch that was not committed left no trace, one that was committed but not
acknowledged comes again and is known by its event ids. An unreachable store stops the consumer, not the process:
readiness turns red, messages wait in the broker. Exit codes: 0 stopped, 1 failed, 2 wrong usage or settings, 3 broker
or store unreachable at start.

Start with ``app.build``.
"""
