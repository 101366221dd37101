"""``failctl explain``: what happened to a job, run after run, what was decided, and why.

In comes what names a job or one of its runs: an id, a part of one, or a pod. ``explain`` reads its ``Timeline`` from
the scheduler's store. Out comes a ``card`` of one screen, everything there is (``details``), or plain data for programs
(``document``). The explanation of a verdict was stored with the verdict, so this command shows what the scheduler saw
then; it decides nothing again.

The card has the answer first: how the job stands (``outcome``) and the category in words, whose fault it is and the
text that decided, what to do next (``advice``), the retries used and left, then the ``attempts`` as a table, newest
first. Words and sentences are core's (``failure_text``, ``decision.outlook``), so that other readers say the same. It
fits 24 lines of 80 cells: texts are cut, with an ellipsis, until there is room for an attempt; ``--details`` has them
whole. The id of the job is never cut. The present and the zone are arguments, so a card can be repeated:
tests/ctl/explain/golden has one of each kind.
"""
