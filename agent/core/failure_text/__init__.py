"""A failure in plain words, for every reader: whose fault, what it was, what decided that, what to do next.

``fault`` names the party and says of a container whether its user submitted it. ``category`` gives the category in
words, from the sign that decided where we have words for it (``signs``), else from the category's own name: operators
name categories as they like. ``deciding`` makes a sentence of what decided, with the mark of who wrote the text.
``step`` is what a person can do. ``place`` reads where a match was, ``quoting`` keeps the line that matters of a text
of somebody else's, ``ending`` has exit codes, ``times`` moments and spans.

All texts are of one line and bounded. Some quote pods, so who prints them makes them harmless. To begin reading, take
``deciding``.
"""
