"""``onConditions``: any of the named conditions of the table in ``agent.core.classify.conditions``."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.matchers.sight import Sight
from agent.core.classify.signs import Scope
from agent.core.evidence import Container, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """``onConditions``: any of these names."""

    NAME: ClassVar[str] = "onConditions"

    names: tuple[str, ...]

    @property
    def is_pod_level(self) -> bool:
        return all(CONDITIONS[name].scope is Scope.POD for name in self.names)

    def seen(self, container: Container | None, evidence: Evidence) -> Sight:
        """The first of them that holds for the container, or (``None``) for the pod. Raises ValueError if none does."""
        for condition in (CONDITIONS[name] for name in self.names):
            seen = condition.see_in_pod(evidence) if container is None else condition.see_in_container(container)
            if seen is not None:
                return Sight(seen.where, seen.text, seen.trust, container="" if container is None else container.name)
        raise ValueError("a condition whose bit is set was not found")

    def words(self) -> str:
        return f"[{', '.join(self.names)}]"

    def meaning(self) -> list[object]:
        return [sorted(set(self.names))]

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        pod = evidence.pod
        facts = [f"the pod's reason is {pod.reason}" if pod.reason else "the pod has no reason"]
        for candidate in pod.containers:
            state = candidate.ended or candidate.state
            facts.append(f"container {candidate.name} is {state.kind}{f' ({state.reason})' if state.reason else ''}")
        limited = container is not None and any(CONDITIONS[name].scope is Scope.CONTAINER for name in self.names)
        where = f" for container {container}" if limited else ""
        return f"{' or '.join(self.names)} does not hold{where}: {', '.join(facts)}"
