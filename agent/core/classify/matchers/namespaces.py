"""``onNamespaces``: the pod's namespace is listed, or is not."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.exit_codes import Operator
from agent.core.classify.matchers.matcher import Basis, PodMatcher
from agent.core.classify.matchers.sight import Sight
from agent.core.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespaces(PodMatcher):
    """``onNamespaces``: exact names. A namespace that is not known is neither In nor NotIn."""

    NAME: ClassVar[str] = "onNamespaces"
    BASIS: ClassVar[Basis] = Basis.NARROWING

    operator: Operator
    values: frozenset[str]

    def matches(self, evidence: Evidence) -> bool:
        namespace = evidence.namespace
        return namespace != "" and (namespace in self.values) == (self.operator is Operator.IN)

    def listed(self) -> frozenset[object]:
        return frozenset(self.values) if self.operator is Operator.IN else frozenset()

    def nearness(self, container: str | None, evidence: Evidence) -> float:
        """Another namespace is not near."""
        del container, evidence
        return 0.0

    def seen(self, subject: None, evidence: Evidence) -> Sight:
        del subject
        return Sight(where=f"pod: namespace {evidence.namespace}", text=evidence.namespace)

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        del container
        if not evidence.namespace:
            return "the pod's namespace is not known"
        listed = "not one of" if self.operator is Operator.IN else "one of"
        return f"the pod's namespace {evidence.namespace} is {listed} {', '.join(sorted(self.values))}"
