"""How like a pattern a text is in which it was not found: the share of the pattern's words that the text has."""

import re
from functools import lru_cache
from typing import Final

_NO_LITERALS: Final = re.compile(r"\\[pP]\{[^}]*\}|\\[A-Za-z]|\[[^\]]*\]|\(\?[^:)]*[:)]|\{\d+(?:,\d*)?\}")
_WORD: Final = re.compile(r"[^\W_]{3,}")
_SAY_NOTHING: Final = frozenset(
    ("and", "because", "code", "container", "error", "exit", "failed", "for", "from", "not", "the", "was", "with")
)
"""Words that occur in most messages, and in what the platform reports for every failed container."""


def likeness(pattern: str, text: str) -> float:
    """The share of a pattern's words that occur in the text, for the best alternative; a single word does not count."""
    said = set(_distinct(text))
    counts = ((sum(word in said for word in words), len(words)) for words in _alternatives(pattern))
    return max((shared / (count + 1) for shared, count in counts if shared > 1), default=0.0)


@lru_cache(maxsize=1024)
def _alternatives(pattern: str) -> tuple[tuple[str, ...], ...]:
    alternatives = map(_distinct, _NO_LITERALS.sub(" ", pattern).split("|"))
    return tuple(words for words in alternatives if words)


def _distinct(text: str) -> tuple[str, ...]:
    words = (word.lower() for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in words if word not in _SAY_NOTHING))
