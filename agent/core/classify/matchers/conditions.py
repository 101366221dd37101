"""``onConditions``: any of the named conditions of the table in ``agent.core.classify.conditions``."""

from dataclasses import dataclass
from typing import ClassVar, Final

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.matchers.matcher import Basis, FactMatcher, PolicyMatcher, few
from agent.core.classify.matchers.sight import Sight
from agent.core.classify.pod_facts import PodFact
from agent.core.classify.signs import PodIs, Scope
from agent.core.evidence import Container, Evidence

BARE: Final = frozenset(
    {
        "BeingDeleted",
        "ContainerCannotRun",
        "ContainerCreating",
        "ContainerStatusUnknown",
        "CrashLoopBackOff",
        "CreateContainerConfigError",
        "CreateContainerError",
        "DisruptionTarget",
        "EndedSilently",
        "ErrImagePull",
        "Error",
        "Evicted",
        "ImagePullBackOff",
        "InitContainerFailed",
        "MainSucceeded",
        "PodInitializing",
        "PostStartHookError",
        "PreCreateHookError",
        "PreStartHookError",
        "RunContainerError",
        "StartError",
        "Starting",
        "StateLost",
        "Unknown",
        "Unschedulable",
        "WithinMemoryLimit",
    }
)
"""Named conditions that say what happened but not why."""

GUARDS: Final = frozenset({"RequestExceedsQuota", "Starting", "WithinMemoryLimit"})
"""Named conditions that only keep the other parts of an ``allOf`` from matching; by themselves they explain nothing."""

_QUOTED: Final = PodIs(fact=PodFact.REQUEST_EXCEEDS_QUOTA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions(FactMatcher[Container | None], PolicyMatcher):
    """``onConditions``: any of these names."""

    NAME: ClassVar[str] = "onConditions"
    BASIS: ClassVar[Basis] = Basis.STATUS
    ANY_OF: ClassVar[tuple[str, ...]] = ("names",)

    names: tuple[str, ...]

    @property
    def is_pod_level(self) -> bool:
        return all(CONDITIONS[name].scope is Scope.POD for name in self.names)

    @property
    def is_weak(self) -> bool:
        return BARE.issuperset(self.names)

    @property
    def is_guard(self) -> bool:
        return GUARDS.issuperset(self.names)

    @property
    def reads_logs(self) -> bool:
        """Whether a quota's refusal is one of them: it is read where a program quotes it, too."""
        return any(_QUOTED in CONDITIONS[name].in_pod for name in self.names)

    def listed(self) -> frozenset[object]:
        return frozenset(self.names)

    def holds_anywhere(self, evidence: Evidence) -> bool:
        """Whether one of them holds for any container."""
        conditions = [CONDITIONS[name] for name in self.names]
        containers = evidence.pod.containers
        return any(it.see_in_container(container) is not None for it in conditions for container in containers)

    def nearness(self, container: str | None, evidence: Evidence) -> float:
        """Another condition is not near."""
        del container, evidence
        return 0.0

    def seen(self, subject: Container | None, evidence: Evidence) -> Sight:
        """The first of them that holds for the container, or (``None``) for the pod. Raises ValueError if none does."""
        container = subject
        for condition in (CONDITIONS[name] for name in self.names):
            seen = condition.see_in_pod(evidence) if container is None else condition.see_in_container(container)
            if seen is not None:
                return Sight(seen.where, seen.text, seen.trust, container="" if container is None else container.name)
        raise ValueError("a condition whose bit is set was not found")

    def label(self) -> str:
        return few(self.names)

    def sought(self) -> str:
        return f"condition {' or '.join(self.names)}"

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
