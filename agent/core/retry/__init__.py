"""Retry policies: their values, what their rules match, and the terms of a retry.

This package has the parts of a decision; ``agent.core.decision`` combines them. Start there. It uses, in this order:

1. ``policy`` is a policy as a value, with matchers of ``agent.core.classify.matchers``; ``dialect`` describes the
   counting of a dialect as data, so that no code checks which one it is. ``compiled`` compiles the patterns of a policy
   and computes the key of each rule.
2. ``effective.resolve_policies`` returns the policies of a job: those of the queue, then those that its
   ``annotations`` name, else the default. Policies in shadow are separate: they are evaluated and recorded, and have
   no effect.
3. ``match`` matches one rule against the failure, or says why it does not match. ``facts`` caches what several rules
   need to know about one failure; ``target`` selects the containers that a rule looks at; ``marks`` quickly excludes
   named conditions that cannot hold.
4. ``limits`` builds each limit, with its description: it counts the retries granted so far (``agent.core.history``).
5. The terms of a granted retry: ``backoff`` (the delay), ``placement`` (nodes to avoid), ``memory`` (more of it).

What verdicts are stored with is in files of its own, ``choices``, ``delay``, ``growth`` and ``matched``: who only reads
verdicts imports none of what decides.

``gang`` chooses the one member that is judged for a generation of a gang: the one that finished first.

Retries are counted under the key of a rule (``identity``): its name, or a hash of its matcher and action, never its
position in the file. Moving a rule, or editing its limit or delay, therefore keeps its count; changing what an unnamed
rule matches starts a new count.
"""
