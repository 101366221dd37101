"""Shared by all matchers that search a text: the pattern, its engine, and access to the texts.

Every pattern is searched unanchored, and never matches an empty text.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from agent.core.classify.matchers.likeness import likeness
from agent.core.classify.matchers.matcher import EvidenceMatcher, S
from agent.core.classify.matchers.sight import Sight, container_of
from agent.core.classify.pattern import compile_pattern, find
from agent.core.evidence import Evidence
from agent.core.failure import DetailKey

_KEYS = frozenset(DetailKey)
_NAMED = re.compile(r"\(\?P?<")
"""How a named group begins; to compile a pattern for its groups takes longer."""


class Engine(StrEnum):
    """Which engine searches: RE2, or the backtracking one with its limits."""

    RE2 = "re2"
    BACKTRACKING = "backtracking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A regular expression and the engine that searches it."""

    text: str
    engine: Engine = Engine.RE2


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMatcher(EvidenceMatcher[S]):
    """A matcher with a pattern. Each kind defines which texts it searches and what they belong to."""

    is_pod_level: ClassVar[bool] = True

    pattern: Pattern

    @property
    def details(self) -> tuple[DetailKey, ...]:
        """The keys for which the pattern has groups of these names; those of the backtracking engine are not read."""
        if self.pattern.engine is Engine.BACKTRACKING or _NAMED.search(self.pattern.text) is None:
            return ()
        return tuple(DetailKey(name) for name in compile_pattern(self.pattern.text).groupindex if name in _KEYS)

    @classmethod
    def kinds(cls) -> tuple[type["AnyText"], ...]:
        """The matchers of single kinds of text that together search what this one does."""
        return (cls,)

    @property
    def narrowed_by(self) -> tuple[str | None, ...]:
        """What else, next to the kind of text, says which texts are searched."""
        return ()

    @staticmethod
    @abstractmethod
    def texts(evidence: Evidence) -> Iterable[tuple[S, str]]:
        """Every text that matchers of this kind may search, including empty ones, with its subject."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def text_of(subject: S, evidence: Evidence) -> str:
        """The text that belongs to the subject."""
        raise NotImplementedError

    @abstractmethod
    def seen(self, subject: S, text: str, evidence: Evidence) -> Sight:
        """The description of the part of a text that was found there."""
        raise NotImplementedError

    def looks_at(self, subject: S) -> bool:
        """Whether this matcher searches the text of the subject, apart from the subject's container."""
        del subject
        return True

    def searched(self, container: str | None, evidence: Evidence) -> Iterator[tuple[S, str]]:
        """The texts that a rule with this container, or without one, searches."""
        for subject, text in self.texts(evidence):
            owner = container_of(subject)
            if text and self.looks_at(subject) and (container is None or owner in (None, container)):
                yield subject, text

    def holds_anywhere(self, evidence: Evidence) -> bool:
        """Whether the pattern is found in the text of any container. The backtracking engine is not asked."""
        if self.pattern.engine is Engine.BACKTRACKING:
            return False
        regex = compile_pattern(self.pattern.text)
        return any(find(regex, text) for _, text in self.searched(None, evidence))

    def nearness(self, container: str | None, evidence: Evidence) -> float:
        """How like the pattern the text is that is most like it."""
        texts = (text for _, text in self.searched(container, evidence))
        return max((likeness(self.pattern.text, text) for text in texts), default=0.0)

    def count(self, container: str | None, evidence: Evidence) -> int:
        return sum(1 for _ in self.searched(container, evidence))


AnyText = TextMatcher[Any]
"""A matcher of any kind of text."""


def backtracks(matcher: object) -> bool:
    """Whether the matcher asks for the backtracking engine."""
    return isinstance(matcher, TextMatcher) and matcher.pattern.engine is Engine.BACKTRACKING
