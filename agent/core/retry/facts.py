"""What rules need to know about one failure, computed once for all rules."""

from agent.core.classify.conditions import CONDITIONS, NamedCondition
from agent.core.classify.followers import deciding_containers, deciding_evidence
from agent.core.classify.signs import Seen
from agent.core.evidence import Container, Evidence
from agent.core.failure import Failure
from agent.core.retry import marks
from agent.core.retry.marks import Marks
from agent.core.retry.target import LooksAt, Target, target

_PREEMPTED = CONDITIONS["Preempted"]
_PREEMPTED_MARKS = marks.of_condition(_PREEMPTED)
_OUT_OF_MEMORY = "OOMKilled"


class Facts:
    """One failure as rules see it. It caches results; use it for one decision in one thread.

    ``preempted`` says whether the condition ``Preempted`` holds for the pod.
    """

    __slots__ = ("_evidence", "_in_container", "_in_pod", "_marks", "_targets", "failure", "preempted")

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        self._evidence: Evidence | None = None
        self._marks = marks.of_pod(failure)
        self._targets: dict[LooksAt, Target] = {}
        self._in_pod: dict[str, Seen | None] = {}
        self._in_container: dict[str, Marks] = {}
        self.preempted = self.in_pod(_PREEMPTED, _PREEMPTED_MARKS) is not None

    def target(self, looks_at: LooksAt) -> Target:
        known = self._targets.get(looks_at)
        if known is None:
            known = self._targets[looks_at] = target(looks_at, self.failure)
        return known

    def in_pod(self, condition: NamedCondition, needs: Marks | None) -> Seen | None:
        """The first sign of the condition on the pod; ``needs`` are the condition's marks."""
        if not condition.in_pod or (needs is not None and needs.isdisjoint(self._marks)):
            return None
        name = condition.name
        if name not in self._in_pod:
            self._in_pod[name] = condition.see_in_pod(self._as_evidence())
        return self._in_pod[name]

    def in_container(self, condition: NamedCondition, container: Container, needs: Marks | None) -> Seen | None:
        """The first sign of the condition on the container."""
        if needs is not None:
            there = self._in_container.get(container.name)
            if there is None:
                there = self._in_container[container.name] = marks.of_container(container)
            if needs.isdisjoint(there):
                return None
        return condition.see_in_container(container)

    def out_of_memory(self) -> Container | None:
        """The first container that was killed for memory, whatever its exit code; no follower of another one."""
        for container in deciding_containers(self.failure):
            if container.ended is not None and container.ended.reason == _OUT_OF_MEMORY:
                return container
        return None

    def _as_evidence(self) -> Evidence:
        if self._evidence is None:
            self._evidence = deciding_evidence(self.failure)
        return self._evidence
