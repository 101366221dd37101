"""The life of a submitted job: what happens to it and its runs, as pure functions over one value.

Start with ``advance.advance(job, input, now)``. It returns a ``Step`` (the new ``SubmittedJob``, and effects in order)
or ``Refused`` with the reason. The caller holds the job's lock, writes job and effects in one transaction, and passes
each input at least once, in any order: repeats and late inputs change nothing. Verdicts come from
``agent.core.decision``; ``decidable`` says first whether a failure gets one.

``guarantees`` names what this package promises. ``docs/jobs-lifecycle.md`` explains each, and draws the states
(``transitions``). The parts, from the bottom up:

- ``state``, ``run``, ``job``: the values. ``inputs`` is what can happen, ``effects`` what follows.
- ``confirmation``: what confirms that a pod no longer lives, from the states of its containers. The agent asks it.
- ``succession``: which run holds the next one. ``waits``: why a job waits, for people.
- ``repeats``: which command is due again without an answer.
- ``endings``: verdicts, successes, rejections, and the end of a job, with the stop of whatever may still live.
- ``leasing``, ``reports``, ``requests``: the inputs, by who sends them.
- ``names``: the names of pods.
- ``inventory``: what a list of pods proves of a run whose pod it has, and of one of which it has none.

If a process dies, nothing is lost here: the value is what was committed. A command that was not sent is sent by its
row, or again after a time (``TimePassed``). A run may therefore be created late or twice. Its pods wait behind our
gate: one uid is recorded and started, the others are discarded.

``wait_text`` and ``refusal_text`` say in words why a job waits, and why a request has no effect.

No program imports ``guarantees`` and ``transitions``, because they only describe: docs/protocol.md has the one,
docs/jobs-lifecycle.md the other, and tests compare pages and code with them.

A job has one pod; gangs are to come.
"""
