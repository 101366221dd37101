"""The store: runs, failures, verdicts and submitted jobs in Postgres, or in a SQLite file by default.

``store.Store`` opens the database, brings its tables to the revision this version works with (``migrate``), and hands
out transactions. All other modules are functions that take such a connection and use one table each: ``failures``,
``verdicts``, ``runs`` and ``jobs`` write to those of ``tables``; ``attempts`` and ``rule_sets`` declare their own, and
``resources`` two, what is and every version that was. ``timeline`` reads a whole job, as values of ``recorded``, with
``explanations``; ``records`` lists what was recorded and finds what a text names, behind a port that others may answer
too. ``columns`` has the types that mean the same on both databases, ``insert`` writes many rows at once.

``submitted`` has the jobs that people submitted, with their runs, under the rules of ``agent.core.lifecycle``. A
transaction that decides writes commands to clusters into ``outbox``; the ``leader`` among schedulers numbers and
publishes them. ``clusters`` has what the latest heartbeats say. ``sequences`` has which numbers of each spool's
messages were consumed, as ``ranges``, and which are missing.

Reading imports nothing that only writing needs: ``failctl`` takes longer to import than to answer.

A transaction that decides (``Store.decide``) locks its decision scopes first (``lock``): a write lock on the file in
SQLite, an advisory lock for each scope in Postgres. So two schedulers never decide the same scope at once. Primary
keys do the rest: ``event_id`` of a failure makes consuming an event twice harmless, ``run_id`` of a verdict allows one
verdict a run. Counts that limits need are queries over verdicts, never stored counters; the row of a job serves lists
only, and is merged so that neither the order of events nor their repetition changes it.

What holds: a commit is on disk when it returns. An error rolls the whole transaction back. Errors of the driver become
``errors.StoreUnreachable`` (try again later), ``RowRefused`` (never try these rows again) or ``StoreError``; the
driver's own text is cut because it quotes rows. A SQLite file that was deleted, moved or replaced after it was opened
is unreachable (``agent.open_file``): nothing is committed to it, and none is created. A process that freezes inside a
transaction loses it after 60 s on Postgres.

To add a column: where its table is declared, and a migration in ``migrations/versions``. Start with ``store``.
"""
