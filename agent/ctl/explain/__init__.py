"""``failctl explain``: what happened to a job, run after run, what was decided, and why.

Input: the name of a job or one of its runs: an id, a part of one, or a pod. ``explain`` reads its ``Timeline`` from the
scheduler's store. Output: a ``card`` of one screen, all ``details``, or plain data for programs (``document``). The
explanation of a verdict was stored with the verdict, so this command shows what the scheduler saw then; it decides
nothing again.

Of a job that was submitted, ``submitted`` also says why it waits, what came of each verdict and what people asked; such
a job may have no run yet.

The card has the answer first: the state of the job (``outcome``) and a description of the category, whose fault it is
and the text that decided, what to do next (``advice``), the retries used and left, then the ``attempts`` as a table,
newest first. All texts come from core (``failure_text``, ``decision.next_step``), so that other outputs use the same.
The card fits 24 lines of 80 columns: texts are cut, with an ellipsis, until there is space for an attempt;
``--details`` has them whole. The id of the job is never cut. The present and the zone are arguments, so a card is
reproducible: tests/ctl/explain/golden has one of each kind.
"""
