"""What rules ask of one failure, worked out once however many rules ask."""

from agent.core.classify.conditions import CONDITIONS, NamedCondition
from agent.core.classify.signs import Seen
from agent.core.evidence import Container, Evidence
from agent.core.failure import Failure
from agent.core.retry.policy import Rule
from agent.core.retry.target import Target, target

_PREEMPTED = CONDITIONS["Preempted"]
_OUT_OF_MEMORY = (CONDITIONS["OOMKilled"], CONDITIONS["OOMKilledExitZero"])


class Facts:
    """One failure as rules see it. It remembers answers, and is for one decision in one thread."""

    __slots__ = ("_evidence", "_seen", "_targets", "failure")

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        self._evidence: Evidence | None = None
        self._targets: dict[tuple[str | None, bool], Target] = {}
        self._seen: dict[str, Seen | None] = {}

    def target(self, rule: Rule) -> Target:
        """What the rule looks at."""
        key = (rule.container, rule.include_init)
        known = self._targets.get(key)
        if known is None:
            known = self._targets[key] = target(rule, self.failure.pod)
        return known

    def in_pod(self, condition: NamedCondition) -> Seen | None:
        """The first sign of the condition that is the pod's."""
        if not condition.in_pod:
            return None
        name = condition.name
        if name not in self._seen:
            self._seen[name] = condition.see_in_pod(self._as_evidence())
        return self._seen[name]

    def preempted(self) -> bool:
        """Whether the condition ``Preempted`` holds for the pod."""
        return self.in_pod(_PREEMPTED) is not None

    def out_of_memory(self) -> Container | None:
        """The first container that was killed for memory, whatever code it ended with."""
        for container in self.failure.pod.containers:
            if any(condition.see_in_container(container) is not None for condition in _OUT_OF_MEMORY):
                return container
        return None

    def _as_evidence(self) -> Evidence:
        if self._evidence is None:
            failure = self.failure
            self._evidence = Evidence(
                pod=failure.pod, pod_error=failure.pod_error, events=failure.events, node=failure.node
            )
        return self._evidence
