"""``onOutput``: what a container wrote, in its termination message or at the end of its log."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.matcher import Basis
from agent.core.classify.matchers.sight import Sight
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import AnyText, TextMatcher
from agent.core.evidence import Container, Evidence
from agent.core.evidence import LogTail as Tail

KINDS = (TerminationMessage, LogTail)
"""The matchers whose texts ``onOutput`` searches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(TextMatcher[Container | Tail]):
    """``onOutput``: the same pattern as ``onTerminationMessage`` and as ``onLogTail``."""

    NAME: ClassVar[str] = "onOutput"
    BASIS: ClassVar[Basis] = Basis.OUTPUT
    is_pod_level: ClassVar[bool] = False

    @classmethod
    def kinds(cls) -> tuple[type[AnyText], ...]:
        return KINDS

    @staticmethod
    def texts(evidence: Evidence) -> Iterable[tuple[Container | Tail, str]]:
        return chain(TerminationMessage.texts(evidence), LogTail.texts(evidence))

    @staticmethod
    def text_of(subject: Container | Tail, evidence: Evidence) -> str:
        if isinstance(subject, Tail):
            return LogTail.text_of(subject, evidence)
        return TerminationMessage.text_of(subject, evidence)

    def seen(self, subject: Container | Tail, text: str, evidence: Evidence) -> Sight:
        if isinstance(subject, Tail):
            return LogTail(pattern=self.pattern).seen(subject, text, evidence)
        return TerminationMessage(pattern=self.pattern).seen(subject, text, evidence)

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        return "; ".join(kind(pattern=self.pattern).why_not(container, evidence) for kind in KINDS)
