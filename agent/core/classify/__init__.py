"""Classification: the categories of a failure, by the rules of a file of ``errorCategories``.

In comes a ``RuleSet`` (``rules``: what ``agent.manifests`` makes of the file) once, then the ``Evidence`` of each
failure. Out goes a ``Classification``: every category that matched in file order, the first being primary, with what
matched, where, and whether the system or the user's program wrote it.

How one failure flows through:

1. ``classifier.compile_rules`` has ``compiler`` turn the rules into a ``Program``. Each rule has a bit, in file order;
   each signal (exit code, reason, condition, message, event, log) has a table from what is seen to a mask of bits. All
   patterns for one signal are one ``PatternSet``, so that a thousand rules cost about as much as ten.
2. ``scan.scan`` goes over the evidence once and notes ``Sighting``s: these bits, on this container, event or line. The
   matchers of an ``allOf`` have bits of their own; the rule's bit is set if one container satisfies all of them.
   Backtracking rules are searched last, and only if the cheap matchers beside them hold.
3. The lowest bit is the primary rule. ``description`` says in words what made a rule match, for rules that matched
   only. ``explanation`` says of every rule why it did or did not, and which tell most, by ``nearness``; only
   ``failctl classify`` asks for it.

What one rule looks for is a matcher: ``matchers`` has a module for each, for retry policies too.

What rules may ask by name (``onConditions: [OOMKilled]``) is the table in ``conditions``; a name stands for ``signs``,
single facts in a pod's status. ``weakness`` tells which matches rest on so little that late evidence is worth a wait.

``pattern`` is the one place that runs RE2. RE2 fails without saying so when it runs out of memory, so a set proves
itself when it is made, and one miss in a thousand is checked again pattern by pattern (``mismatches``). ``search`` is
the protocol of the backtracking engine, which core does not have; its answer may be that it timed out.

The names of fields in ``rules`` and ``matchers`` are hashed into the revision of a rule set: none may be renamed.

To add a named condition edit ``conditions``; to add a matcher begin at ``matchers``.
"""
