"""``onLogTail``: the end of any container's log."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import Basis
from agent.core.classify.matchers.sight import Sight
from agent.core.classify.matchers.text import TextMatcher
from agent.core.evidence import Evidence
from agent.core.evidence import LogTail as Tail
from agent.core.failure import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class LogTail(TextMatcher[Tail]):
    """``onLogTail``: the end of any container's log."""

    NAME: ClassVar[str] = "onLogTail"
    BASIS: ClassVar[Basis] = Basis.LOG
    is_pod_level: ClassVar[bool] = False

    @staticmethod
    def texts(evidence: Evidence) -> Iterable[tuple[Tail, str]]:
        return [(tail, tail.text) for tail in evidence.log_tails]

    @staticmethod
    def text_of(subject: Tail, evidence: Evidence) -> str:
        del evidence
        return subject.text

    def seen(self, subject: Tail, text: str, evidence: Evidence) -> Sight:
        del evidence
        where = f"container {subject.container}: log"
        return Sight(where=where, text=text, trust=Trust.USER_TEXT, container=subject.container)

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        whose = f"container {container}" if container is not None else "any container"
        searched = self.count(container, evidence)
        return f"the pattern is not in the log of {whose}" if searched else f"no log of {whose} was read"
