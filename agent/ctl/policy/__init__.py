"""``failctl decide`` and ``failctl policy test``: try retry policies on failures, without a cluster.

Input: retry policies and scenario files. Both commands read them with ``agent.ctl.policy_file`` and play each scenario
through the scheduler's own decision code (``agent.core.decision``). ``decide`` prints verdict after verdict. ``test``
compares each verdict with the expected one, and reports which rules never decided, and why (``--coverage``).
"""
