"""Retry policies: what they are, what their rules match, and what follows from what they say.

Here is what a decision is made with, each subject by itself; ``agent.core.decision`` makes it, and is where to begin.

What it takes from here, in the order in which it does:

1. ``policy`` is a policy as values, with matchers of ``agent.core.classify.matchers``; ``dialect`` says as data what a
   dialect counts, so that no code asks which it was. ``compiled`` makes a policy ready: patterns compiled, each rule's
   key known.
2. ``effective.resolve_policies`` gives the policies of a job: the queue's, then those its annotations name, else the
   default. Policies in shadow are kept apart: they are judged and recorded, and have no effect.
3. ``match`` holds one rule against the failure, or says in words why it is silent. ``facts`` remembers what is asked
   again and again of one failure; ``target`` says which containers a rule looks at; ``marks`` tells quickly which named
   conditions cannot hold.
4. ``limits`` makes each limit: it counts retries granted so far (``agent.core.history``), and says so in words.
5. What a granted retry comes with: ``backoff`` (the delay), ``placement`` (nodes to avoid), ``memory`` (more of it).

``gang`` chooses the one member whose failure speaks for a generation of a gang: the one that finished first.

Counts are kept under the key of a rule (``identity``): its name, or a hash of its matcher and action, never its place
in the file. Moving a rule, or editing its limit or delay, therefore keeps its count; changing what an unnamed rule
matches starts a new one.
"""
