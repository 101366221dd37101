"""Submitted jobs: what ``agent.core.lifecycle`` decides about, as rows.

``tables`` has the tables; ``rows`` turns values into rows and back. ``held.load`` reads jobs with their runs, what was
submitted, how they ended and their orphans, in four queries for any number of jobs; ``changes`` inserts new ones and
saves what a step changed. ``lookup`` finds the jobs that an event or the scheduling pass is about. ``requests`` has
what people asked for, ``pending`` the events that came before their run recorded a pod.

The tables ``job`` and ``run`` next to these stay summaries of what agents reported, also of pods that nobody submitted.
Only ``whole`` and ``surroundings`` read them: a job's timeline with what was submitted, and what the words about a job
that waits need to know.

The decision scope of a submitted job is its job id: hold it (``Store.decide``) from ``load`` to ``save``. Keys hold
what the lifecycle promises even if a caller does not: a client id names one job of a queue, a pod belongs to one run,
a job ends once for each time that it was opened. What breaks one raises RowRefused, and nothing is written.

Start with ``held``.
"""
