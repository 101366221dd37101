"""Matchers: the conditions of one rule, for error categories and for retry policies.

A module defines the value (what the rule says), what it matches, and the description: what matched, where and who wrote
it (``Sight``), or why nothing did. ``registry`` lists which rules may use which matcher. ``text`` is shared by all
matchers with a pattern.

``matcher`` is what the engine asks a matcher: what it rests on, how near it came, its words, what it covers. The
evaluation is elsewhere. Classification applies all rules to the evidence in one pass
(``agent.core.classify.compiler``, ``scan``): matchers with a pattern provide the texts to search, those of numbers the
number, the others have tables there. Retry policies evaluate one rule after the other (``agent.core.retry.match``): a
matcher that looks at the failure as a whole has ``find``.

To add a matcher: its value in a module here and a line in ``registry``; its syntax and its field in
``agent.manifests.matchers``. docs/architecture.md (A new matcher) says which base class to choose, and what tests need.
"""
