"""``onNodeLog``: any line of the node's log."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import Basis
from agent.core.classify.matchers.sight import Sight
from agent.core.classify.matchers.text import TextMatcher
from agent.core.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLog(TextMatcher[str]):
    """``onNodeLog``: any line of the node's log."""

    NAME: ClassVar[str] = "onNodeLog"
    BASIS: ClassVar[Basis] = Basis.NODE_LOG

    @staticmethod
    def texts(evidence: Evidence) -> Iterable[tuple[str, str]]:
        return () if evidence.node is None else [(line, line) for line in evidence.node.log_lines]

    @staticmethod
    def text_of(subject: str, evidence: Evidence) -> str:
        del evidence
        return subject

    def seen(self, subject: str, text: str, evidence: Evidence) -> Sight:
        del subject, evidence
        return Sight(where="node: log", text=text)

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        searched = self.count(container, evidence)
        found = f"the pattern is not in any of {searched} lines of the node's log"
        return found if searched else "no line of the node's log is known"
