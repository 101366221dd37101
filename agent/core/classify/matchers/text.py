"""What all matchers that search a text have in common: the pattern, its engine, and the way to the texts.

Every pattern is searched unanchored, and never matches an empty text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

from agent.core.classify.matchers.sight import Sight, Subject, container_of
from agent.core.evidence import Evidence

S = TypeVar("S", bound=Subject)


class Engine(StrEnum):
    """Which engine searches: RE2, or the backtracking one with its limits (design 6)."""

    RE2 = "re2"
    BACKTRACKING = "backtracking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A regular expression and the engine that searches it."""

    text: str
    engine: Engine = Engine.RE2


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMatcher(Generic[S]):
    """A matcher with a pattern. Each kind says which texts it searches, and of what they are."""

    NAME: ClassVar[str]
    is_pod_level: ClassVar[bool] = True

    pattern: Pattern

    @staticmethod
    def texts(evidence: Evidence) -> Iterable[tuple[S, str]]:
        """Every text that matchers of this kind may search, empty ones too, with what it belongs to."""
        raise NotImplementedError

    @staticmethod
    def text_of(subject: S, evidence: Evidence) -> str:
        """The text that belongs to the subject."""
        raise NotImplementedError

    def seen(self, subject: S, text: str, evidence: Evidence) -> Sight:
        """The words for the part of a text that was found there."""
        raise NotImplementedError

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        raise NotImplementedError

    def looks_at(self, subject: S) -> bool:
        """Whether this one searches the text of the subject, as far as it is not about its container."""
        del subject
        return True

    def searched(self, container: str | None, evidence: Evidence) -> Iterator[tuple[S, str]]:
        """What a rule searches that names this container, or none."""
        for subject, text in self.texts(evidence):
            owner = container_of(subject)
            if text and self.looks_at(subject) and (container is None or owner in (None, container)):
                yield subject, text

    def count(self, container: str | None, evidence: Evidence) -> int:
        return sum(1 for _ in self.searched(container, evidence))


AnyText = TextMatcher[Any]
"""A matcher of any kind of text."""
