"""What rule files and retry policies match on, checked the same way in both.

Rules of both kinds match exit codes, signals, patterns, events and node conditions. This folder holds what such
matchers share, and knows no kind of document.

``shapes`` reads the fields of a matcher (a signal by name or number, a node condition as a word or a mapping).
``faults`` finds errors: a rule with no matcher or several, a pattern that does not compile, placed at the character
that is wrong. ``pattern`` asks the engine itself, RE2 or the backtracking one, and bounds what compiling may cost.
``exit_codes`` gives findings about lists of values, and reads codes as the int32 that a pod's status holds.

``shadow`` finds rules that can never decide. ``Covered`` collects what earlier rules match; a rule whose matches are
all covered is reported. It compares sets of values and recognises patterns that are found in every text. It never
compares two different patterns, so it misses some rules that can never decide.
"""
