"""Matchers: what one rule looks for, of error categories and of retry policies alike, a module each.

A module has the value (what the rule says), what it matches, and its words: what it saw, where and who wrote it
(``Sight``), and why it saw nothing. ``registry`` is the list of them: which rules may use which. ``text`` is what all
matchers with a pattern have in common.

How many of them are asked at once differs, and stands elsewhere. Classification holds all rules against the evidence in
one pass (``agent.core.classify.compiler``, ``scan``): matchers with a pattern give it the texts that it searches, the
others have tables there. Retry policies ask one rule after the other (``agent.core.retry.match``): a matcher that looks
at the failure as a whole has ``find``.

To add one: its module here, a line in ``registry``; how it is written, a module in ``agent.manifests.matchers``, and a
field of the shape of the rules that may use it. A test compares both sides.
"""
