"""Describes a failure for people: whose fault, what happened, which text decided that, what to do next.

``fault`` names the party, and says whether the user submitted the container. ``category`` describes the category: by
the sign that decided, if we have a text for it (``signs``), else by the category's own name, which operators choose.
``deciding`` describes what decided, with a mark for who wrote the text. ``step`` is what a person can do, ``successor``
who starts the pod again by itself. ``place`` parses where a match was, ``quoting`` selects the relevant line of a
foreign text, ``ending`` has exit codes and the limit that was reached, ``times`` points in time and durations.
``admission`` names the conditions that the webhook gave the pod.

All texts have one line and are bounded. Some quote pods, so the caller must make them harmless before printing. Start
with ``deciding``.
"""
