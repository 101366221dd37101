"""The interface of the engine for rules with ``engine: backtracking``.

Core has neither such an engine nor a clock; ``agent.patterns`` has both.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The pattern was found in ``text[start:end]``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """The pattern is not in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """No result: the search timed out or was not allowed to start. ``why`` says which."""

    why: str


Answer = Found | NotFound | TimedOut


class Search(Protocol):
    """One compiled pattern. Safe to use from several threads."""

    def search(self, text: str) -> Answer:
        """Look for the pattern anywhere in ``text``; an empty text never matches."""
        ...

    def match(self, text: str) -> Answer:
        """Look for the pattern at the start of ``text``; an empty text may match."""
        ...


class SearchFactory(Hashable, Protocol):
    """Compiles patterns that RE2 refuses. Hashable, so that compiled patterns can be cached."""

    def __call__(self, pattern: str) -> Search:
        """Compile ``pattern``. Raises ``PatternError`` saying why it cannot."""
        ...
