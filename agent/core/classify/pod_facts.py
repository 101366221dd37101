"""Facts about a pod as a whole that no single field of its status states.

They also prevent wrong matches. ``Starting`` excludes an old FailedScheduling event of a pod that has run since,
``WithinMemoryLimit`` excludes node pressure if the pod exceeded its own limit.
"""

from enum import StrEnum
from typing import assert_never

from agent.core.evidence import Container, ContainerKind, Evidence, StateKind

_OOM_KILLED = "OOMKilled"


class PodFact(StrEnum):
    """A fact, with the text that a match shows."""

    STATES_LOST = "failed, no container is reported as terminated"
    WITHIN_MEMORY_LIMIT = "no container was killed over its own memory limit"
    BEING_DELETED = "it is being deleted"
    STARTING = "a container has never run"
    MAIN_SUCCEEDED = "its main container exited with code 0"


def is_fact(fact: PodFact, evidence: Evidence) -> bool:
    match fact:
        case PodFact.STATES_LOST:
            return _states_lost(evidence)
        case PodFact.WITHIN_MEMORY_LIMIT:
            return not any(_went_over(container) for container in evidence.pod.containers)
        case PodFact.BEING_DELETED:
            return evidence.pod.deleted_at is not None
        case PodFact.STARTING:
            ordinary = _ordinary(evidence)
            return not ordinary or any(_never_ran(container) for container in ordinary)
        case PodFact.MAIN_SUCCEEDED:
            main = _main(evidence)
            return bool(main) and all(_ended_well(container) for container in main)
        case _:
            assert_never(fact)


def _states_lost(evidence: Evidence) -> bool:
    pod = evidence.pod
    return (
        pod.phase == "Failed"
        and not pod.reason
        and bool(pod.containers)
        and all(container.ended is None for container in pod.containers)
    )


def _went_over(container: Container) -> bool:
    ended = container.ended
    return ended is not None and ended.reason == _OOM_KILLED and ended.exit_code != 0


def _never_ran(container: Container) -> bool:
    idle = container.state.kind in (StateKind.WAITING, StateKind.ABSENT)
    return idle and container.last_state is None and container.restarts == 0


def _ended_well(container: Container) -> bool:
    return container.ended is not None and container.ended.exit_code == 0


def _ordinary(evidence: Evidence) -> list[Container]:
    return [one for one in evidence.pod.containers if one.kind is not ContainerKind.EPHEMERAL]


def _main(evidence: Evidence) -> list[Container]:
    """The app containers that the user submitted; if that is not known, the first in status order."""
    apps = [one for one in evidence.pod.containers if one.kind is ContainerKind.APP]
    submitted = [one for one in apps if one.injected is False]
    return submitted or apps[:1]
