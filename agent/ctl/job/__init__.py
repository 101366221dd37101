"""``failctl job`` and ``failctl jobset``: simulate a Job or JobSet without a cluster, or suggest rules for it.

Input: a manifest and the outcomes of its pods, from a file or random from a seed. The state machines of
``agent.core.job`` and ``agent.core.jobset`` decide here; the scheduler does not run Jobs and JobSets yet. Output:
the steps: for each outcome the changed counts, effects, events and reasons, and last how the Job ends.

``simulate`` is for Jobs and ``jobset_simulate`` for JobSets; they have the same parts. ``marks`` loads the rules by
which failed pods get our conditions.

``suggest`` prints documents with the rules that they lack to act on these conditions: ``agent.core.suggestion`` decides
which, ``agent.manifests.suggestion`` reads and rewrites.
"""
