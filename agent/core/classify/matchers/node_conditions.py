"""``onNodeConditions``: the node has any one of these conditions."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import Basis, FactMatcher, FailureMatcher
from agent.core.classify.matchers.sight import Finding, Sight
from agent.core.classify.pattern import compile_pattern, find
from agent.core.evidence import Condition, Evidence
from agent.core.failure import Failure

_OTHER_REASON = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCondition:
    """A condition of the node's: of this type and status, and of this reason if one is given.

    If a ``pattern`` (RE2) is given it must be found in the condition's reason or its message.
    """

    type: str
    status: str = "True"
    reason: str | None = None
    pattern: str | None = None

    def matches(self, condition: Condition) -> bool:
        return (
            condition.type == self.type
            and condition.status == self.status
            and self.reason in (None, condition.reason)
            and (self.pattern is None or self.found(condition) is not None)
        )

    def found(self, condition: Condition) -> str | None:
        """What the pattern finds in the condition's reason, else in its message."""
        regex = compile_pattern(self.pattern or "")
        found = (find(regex, text) for text in (condition.reason, condition.message))
        return next((text for text in found if text is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeConditions(FactMatcher[Condition], FailureMatcher):
    """``onNodeConditions``: the node has any one of these conditions."""

    NAME: ClassVar[str] = "onNodeConditions"
    BASIS: ClassVar[Basis] = Basis.NODE
    ANY_OF: ClassVar[tuple[str, ...]] = ("any_of",)
    is_pod_level: ClassVar[bool] = True

    any_of: tuple[NodeCondition, ...]

    def seen(self, subject: Condition, evidence: Evidence) -> Sight:
        del evidence
        return self._seen(subject)

    def find(self, container: str | None, failure: Failure) -> Finding:
        """Search a failure; the node is the pod's, whatever container the rule names."""
        del container
        node = failure.node
        if node is None:
            return "nothing is known of the node"
        for condition in node.conditions:
            if any(wanted.matches(condition) for wanted in self.any_of):
                return self._seen(condition)
        return f"node {node.name} had none of the conditions"

    def alternatives(self) -> tuple[object, ...]:
        return tuple((NodeConditions, wanted) for wanted in self.any_of)

    def holds_anywhere(self, evidence: Evidence) -> bool:
        """The node is the pod's, whatever container the rule names, so this does not match."""
        del evidence
        return False

    def nearness(self, container: str | None, evidence: Evidence) -> float:
        """Half if a condition matches except for its reason."""
        del container
        conditions = () if evidence.node is None else evidence.node.conditions
        return _OTHER_REASON if any(map(self._nearly, conditions)) else 0.0

    def words(self) -> str:
        return f"[{', '.join(f'{wanted.type} {wanted.status}' for wanted in self.any_of)}]"

    def sought(self) -> str:
        return f"a node with {' or '.join(f'{wanted.type} {wanted.status}' for wanted in self.any_of)}"

    def meaning(self) -> list[object]:
        return [sorted(map(_meaning, self.any_of))]

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        del container
        if evidence.node is None:
            return "nothing is known of the node"
        listed = " or ".join(
            f"{wanted.type} {wanted.status}{_reason(wanted.reason)}{_with(wanted.pattern)}" for wanted in self.any_of
        )
        kinds = {wanted.type for wanted in self.any_of}
        same = [condition for condition in evidence.node.conditions if condition.type in kinds]
        got = ", ".join(f"{condition.type} is {condition.status}{_reason(condition.reason)}" for condition in same)
        return f"the node has no condition {listed}: {got if same else 'it has none of that type'}"

    def _seen(self, condition: Condition) -> Sight:
        because = f", reason {condition.reason}" if condition.reason else ""
        where = f"node: condition {condition.type} is {condition.status}{because}"
        by_pattern = [wanted for wanted in self.any_of if wanted.pattern is not None and wanted.matches(condition)]
        text = by_pattern[0].found(condition) if by_pattern else None
        return Sight(where=where, text=text or condition.reason or condition.type)

    def _nearly(self, condition: Condition) -> bool:
        return any(condition.type == wanted.type and condition.status == wanted.status for wanted in self.any_of)


def _meaning(wanted: NodeCondition) -> list[str]:
    return [wanted.type, wanted.status, wanted.reason or "", *([wanted.pattern] if wanted.pattern is not None else [])]


def _with(pattern: str | None) -> str:
    return "" if pattern is None else f" with /{pattern}/"


def _reason(reason: str | None) -> str:
    return f" ({reason})" if reason else ""
