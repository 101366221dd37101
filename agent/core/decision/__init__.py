"""The verdict on one run, or on one generation of a gang: one rule decides, every limit can forbid.

Input: a ``Failure``, the ``RunFacts``, the ``History`` of the lineage, the policies in effect, the settings, the time
and a random draw. Output: a ``Verdict``. Its action is read from its ``Explanation``, so that the two cannot differ;
its ``past`` is what later verdicts of the lineage need to know. Nothing is stored here: the scheduler writes verdict
and effects in one transaction, and the same values always give the same decision.

Start with ``decide.decide``: each of its steps is a function below it.

1. Policies in shadow are evaluated and recorded.
2. If retry policies do not apply (they are off, none is in effect, the job asked to fail fast, or the dialect excludes
   such runs), the formula in ``legacy`` decides.
3. One rule decides: the first that matches, else the default action. It also determines the budget of a retry.
4. Every limit can forbid, including those of the error table. A limit can only turn a retry into a fail.
5. A granted retry gets its terms: the delay, the nodes to avoid, the memory (``growth``). The retry may turn out to be
   impossible because no node fits.

``judge`` does only steps 3 and 4, for policies in shadow and for Jobs (``agent.core.job``). ``decide_gang`` chooses the
member that is judged for its generation, then does the same. The values passed between the steps are in ``judgement``.

Explanations are stored as values, which import none of what decides; ``account`` makes them. ``explanation_text``
turns them into text each time they are shown, and ``next_step`` says what a verdict means for the user.
docs/retry-policies.md quotes the former, and a test runs every example there.
``foresee`` gives the verdict on a failure whose earlier ones are only counted, for pods that no scheduler knows.
``scenario`` runs a series of failures against policies, for ``failctl policy`` and for people's tests of their
policies; ``coverage`` reports which rules never decided, and why.
"""
