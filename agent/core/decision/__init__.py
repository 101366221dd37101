"""The verdict on one run, or on one generation of a gang: one speaks, all may forbid.

In come a ``Failure``, the ``RunFacts``, the ``History`` of the lineage, the policies in effect, the settings, the time
and a random draw. Out goes a ``Verdict``. What is to happen is read from its ``Explanation``, so that the two cannot
differ; its ``past`` is what later verdicts of the lineage need to know. Nothing is stored here: the scheduler writes
verdict and effects in one transaction, and a decision that is made twice from the same values is the same.

``decide.decide`` is where to begin, and reads as the rule of the house: each of its steps is a function below it.

1. Policies in shadow are judged, and recorded.
2. Where retry policies do not apply (they are off, none is in effect, the job asked to fail fast, or the dialect leaves
   such runs alone) the formula in ``legacy`` decides.
3. One speaks: the first rule that matches, else the default action. What a retry is charged to follows from that.
4. All may forbid: every limit is asked, those of the error table too, and each can only turn a retry into a fail.
5. A granted retry gets its terms: the delay, the nodes to avoid, the memory (``growth``). It may turn out to be
   impossible here: no node fits.

``judge`` is steps 3 and 4 alone, for policies in shadow and for Jobs (``agent.core.job``). ``decide_gang`` chooses the
member that speaks for its generation, then does the same. What the steps hand on to each other is in ``judgement``.

Values are stored, not text: ``explanation_text`` is the only place where the explanation of a verdict becomes text,
each time it is shown, and ``outlook`` where it is said what a verdict means for what comes next; docs/retry-policies.md
quotes the former, and a test runs every example there. ``scenario`` plays a series of failures against policies, for
``failctl policy`` and the tests of policies that people write; ``coverage`` says which rules never spoke meanwhile, and
why.
"""
