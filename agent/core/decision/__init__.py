"""The verdict on one run, or on one generation of a gang: one speaks, all may forbid.

In come a ``Failure``, the ``RunFacts``, the ``History`` of the lineage, the policies in effect, the settings, the time
and a random draw. Out goes a ``Verdict``. What is to happen is read from its ``Explanation``, so that the two cannot
differ; its ``past`` is what later verdicts of the lineage need to know. Nothing is stored here: the scheduler writes
verdict and effects in one transaction, and a decision that is made twice from the same values is the same.

The order of ``decide.decide``, which is where to begin:

1. Policies in shadow are judged, and recorded.
2. Where retry policies do not apply (they are off, none is in effect, the job asked to fail fast, or the dialect leaves
   such runs alone) the formula in ``legacy`` decides.
3. Else ``agent.core.retry.judge`` gives the proposal and the limits, and ``forbid`` adds those of the error table.
4. For a granted retry ``terms`` works out the delay, the nodes to avoid and the memory. A retry may turn out to be
   impossible here: no node fits.

``decide_gang`` chooses the member that speaks for its generation, then does the same.

Values are stored, not text: ``explanation_text`` is the only place where the explanation of a verdict becomes text,
each time it is shown; docs/retry-policies.md quotes it, and a test
runs every example there. ``scenario`` plays a series of failures against policies, for ``failctl policy`` and the
tests of policies that people write.
"""
