"""Facts about a pod as a whole that no single field of its status states.

They also prevent wrong matches. ``Starting`` excludes an old FailedScheduling event of a pod that has run since,
``WithinMemoryLimit`` excludes node pressure if the pod exceeded its own limit.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

from agent.core.classify.quota import request_exceeds_quota
from agent.core.evidence import Container, ContainerKind, Evidence, StateKind
from agent.core.failure import Trust

_OOM_KILLED = "OOMKilled"


class PodFact(StrEnum):
    """A fact, with the text that a match shows."""

    STATES_LOST = "failed, no container is reported as terminated"
    WITHIN_MEMORY_LIMIT = "no container was killed over its own memory limit"
    BEING_DELETED = "it is being deleted"
    STARTING = "a container has never run"
    MAIN_SUCCEEDED = "its main container exited with code 0"
    NO_SCHEDULER = "no scheduler has reported on it"
    REQUEST_EXCEEDS_QUOTA = "it asks for more than the quota allows in all"


def is_fact(fact: PodFact, evidence: Evidence) -> bool:
    return _FACTS[fact](evidence)


def trust_in(fact: PodFact, evidence: Evidence) -> Trust:
    """Who wrote the signs of a fact: Kubernetes, except for a quota's refusal that only a program may have quoted."""
    quoted = fact is PodFact.REQUEST_EXCEEDS_QUOTA and not any(map(request_exceeds_quota, _of_system(evidence)))
    return Trust.USER_TEXT if quoted else Trust.SYSTEM


def _within_memory_limit(evidence: Evidence) -> bool:
    return not any(map(_went_over, evidence.pod.containers))


def _being_deleted(evidence: Evidence) -> bool:
    return evidence.pod.deleted_at is not None


def _starting(evidence: Evidence) -> bool:
    ordinary = _ordinary(evidence)
    return not ordinary or any(map(_never_ran, ordinary))


def _main_succeeded(evidence: Evidence) -> bool:
    main = _main(evidence)
    return bool(main) and all(map(_ended_well, main))


def _request_exceeds_quota(evidence: Evidence) -> bool:
    texts = (*_of_system(evidence), evidence.pod_error, *(tail.text for tail in evidence.log_tails))
    return any(map(request_exceeds_quota, texts))


def _of_system(evidence: Evidence) -> tuple[str, ...]:
    """The texts that no program wrote. Who wrote the pod's error is not known here, so it is none of them."""
    return (evidence.pod.message, *(event.message for event in evidence.events))


def _states_lost(evidence: Evidence) -> bool:
    pod = evidence.pod
    return (
        pod.phase == "Failed"
        and not pod.reason
        and bool(pod.containers)
        and all(container.ended is None for container in pod.containers)
    )


def _no_scheduler(evidence: Evidence) -> bool:
    """A pod waits without a node, a condition or an event. The scheduler reports on a pod before anybody else does."""
    pod = evidence.pod
    if pod.phase != "Pending" or pod.reason or pod.containers or (evidence.node is not None and evidence.node.name):
        return False
    if any(condition.type == "PodScheduled" for condition in pod.conditions):
        return False
    return not evidence.events


def _went_over(container: Container) -> bool:
    ended = container.ended
    return ended is not None and ended.reason == _OOM_KILLED and ended.exit_code != 0


def _never_ran(container: Container) -> bool:
    idle = container.state.kind in (StateKind.WAITING, StateKind.ABSENT)
    return idle and container.last_state is None and container.restarts == 0


def _ended_well(container: Container) -> bool:
    return container.ended is not None and container.ended.exit_code == 0


def _ordinary(evidence: Evidence) -> list[Container]:
    return [container for container in evidence.pod.containers if container.kind is not ContainerKind.EPHEMERAL]


def _main(evidence: Evidence) -> list[Container]:
    """The app containers that the user submitted; if that is not known, the first in status order.

    The kubelet sorts statuses by name, so the first that is not known to be added: ``istio-proxy`` sorts before
    ``main``.
    """
    apps = [container for container in evidence.pod.containers if container.kind is ContainerKind.APP]
    submitted = [container for container in apps if container.injected is False]
    return submitted or [container for container in apps if not container.injected][:1] or apps[:1]


_FACTS: Mapping[PodFact, Callable[[Evidence], bool]] = {
    PodFact.STATES_LOST: _states_lost,
    PodFact.WITHIN_MEMORY_LIMIT: _within_memory_limit,
    PodFact.BEING_DELETED: _being_deleted,
    PodFact.STARTING: _starting,
    PodFact.MAIN_SUCCEEDED: _main_succeeded,
    PodFact.NO_SCHEDULER: _no_scheduler,
    PodFact.REQUEST_EXCEEDS_QUOTA: _request_exceeds_quota,
}
