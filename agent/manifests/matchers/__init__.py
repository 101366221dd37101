"""What rule files and retry policies match on: how it is written, and checked the same way in both.

Each matcher has the shape of its field, what editors may complete there, and the compiling to the value of
``agent.core.classify.matchers``. Those on texts are in ``text``, all others in ``facts``. ``written`` is what such a
field says of itself; readers, checks and findings go through that, so the fields in ``listed`` (of categories, of retry
policies) are the only lists of matchers here. A signal may be given by name or number, a node condition as a word or a
mapping; exit codes are the int32 of a pod's status.

``faults`` finds errors: a rule with no matcher or several, a pattern that does not compile, placed at the character
that is wrong. ``pattern`` asks the engine itself, RE2 or the backtracking one, and bounds what compiling may cost.

``shadow`` finds rules that can never decide. ``Covered`` collects what earlier rules match; a rule whose matches are
all covered is reported. It compares sets of values and recognises patterns that are found in every text. It never
compares two different patterns, so it misses some rules that can never decide.
"""
