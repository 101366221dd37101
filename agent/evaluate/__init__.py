"""The evaluation of a rule file: how often it is right on labelled failures, and what it blames where nothing failed.

``evaluation`` reads labelled failures and prints how well the rules do on them. ``labelled`` decodes a failure with its
label and asks the rules (through ``agent.diagnose``, as ``failctl classify`` does). ``examples`` judges each failure by
itself, for authors of rules. A corpus is scored: ``scores`` compares answers with labels, ``grades`` does so by how
well the advice is known, and ``share`` gives each share its interval. ``held_out`` scores failures without the rules
of their own source, or without the pack that decides them. ``false_names`` prints what the rules blame on
infrastructure or the platform in logs of runs that succeeded; ``successful`` has these logs and finds such matches in
them. ``scores``, ``grades`` and ``share`` are pure.

The rules come from the caller as a ``RuleSet``, with the function that compiles one: which file they are from, and how
its errors are reported, is the business of the command line. ``failctl evaluate`` (``agent.ctl.evaluate``) is the only
program that uses this package; ``tests/evidence`` judges the shipped rules with it.

To add a figure, open ``scores``, then ``evaluation`` for its row in the table.
"""
