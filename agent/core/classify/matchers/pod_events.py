"""``onPodEvents``: the message of an event about the pod."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import Basis
from agent.core.classify.matchers.sight import Sight
from agent.core.classify.matchers.text import TextMatcher
from agent.core.evidence import Event, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class PodEvents(TextMatcher[Event]):
    """``onPodEvents``: an event about the pod with this type and, if given, this reason."""

    NAME: ClassVar[str] = "onPodEvents"
    BASIS: ClassVar[Basis] = Basis.SIGN

    type: str
    reason: str | None = None

    @property
    def narrowed_by(self) -> tuple[str | None, ...]:
        return (self.type, self.reason)

    @staticmethod
    def texts(evidence: Evidence) -> Iterable[tuple[Event, str]]:
        return ((event, event.message) for event in evidence.events)

    @staticmethod
    def text_of(subject: Event, evidence: Evidence) -> str:
        del evidence
        return subject.message

    def looks_at(self, subject: Event) -> bool:
        return subject.type == self.type and self.reason in (None, subject.reason)

    def seen(self, subject: Event, text: str, evidence: Evidence) -> Sight:
        del evidence
        return Sight(where=f"event {subject.reason or 'without reason'} ({subject.type})", text=text)

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        searched = self.count(container, evidence)
        of = f"{self.type} event" + (f" with reason {self.reason}" if self.reason is not None else "")
        return f"the pattern is not in any of {searched} {of}s" if searched else f"no {of} has a message"
