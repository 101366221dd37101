"""Error categories: the rule file of a cluster's agent, spelled as in Armada's proposal or as in its executor.

Input: a file with ``errorCategories``: a list (the proposal, armadaproject/armada#4713), or a block with defaults,
which may be under ``application`` (the executor's configuration). Output: a ``RuleSet`` for ``agent.core.classify``,
with a revision that is the same for two files that mean the same.

``load.check_file`` is the way of one file: it picks the spelling, checks ``shapes``, adds the errors of ``faults`` (a
category given twice, a category without rules, a wrong matcher), compiles, refuses rules on events that the agent does
not watch, and last adds ``findings`` (a rule that an earlier one hides, a pattern found in every text).

A file may list packs, which are such files too. ``packs.check_packed`` reads them through a ``PackReader``, joins all
rules in the order of the list, and reports what is wrong between files. ``agent.rule_files`` is that reader for files
on disk and for the packs that ship. Packs that were checked before, and of which only the rules are kept
(``agent.compiled_rules``), are joined as ``checked_pack`` says.

``revision`` defines what the revision is a hash of: explicit tags, there and next to the shapes of matchers, and the
names of fields. Agents report it with each failure, so neither ever changes.
"""
