"""A pod that waits, in words: for what, and when the agent gives it up."""

from datetime import UTC
from typing import Final

from agent.core.failure_text.times import age, at
from agent.observe.deadlines import StartProblemKind
from agent.observe.waiting.wait import Waiting, WaitKind

_WITH_NAME: Final = {
    WaitKind.QUOTA: "quota {}",
    WaitKind.GATE: "gate {}",
    WaitKind.VOLUME: "volume {}",
    WaitKind.IMAGE: "image {}",
    WaitKind.INIT_CONTAINER: "init container {}",
    WaitKind.KUBELET: "the kubelet of node {}",
    WaitKind.PROBE: "the probe of container {}",
}
_WITHOUT_NAME: Final = {
    WaitKind.QUOTA: "a quota",
    WaitKind.GATE: "a gate",
    WaitKind.SCHEDULER: "the scheduler",
    WaitKind.NODE: "a node",
    WaitKind.VOLUME: "its volumes",
    WaitKind.IMAGE: "its image",
    WaitKind.INIT_CONTAINER: "an init container",
    WaitKind.KUBELET: "the kubelet",
    WaitKind.PROBE: "its probes",
}
_OF_CONTAINERS: Final = frozenset({WaitKind.INIT_CONTAINER, WaitKind.PROBE})
_SETTINGS: Final = {
    StartProblemKind.UNSCHEDULABLE: "deadlines.unschedulable",
    StartProblemKind.PREPARING: "deadlines.preparing",
    StartProblemKind.IMAGE: "deadlines.image",
    StartProblemKind.CONFIG: "deadlines.config",
    StartProblemKind.CREATE: "deadlines.create",
    StartProblemKind.INIT_CRASH_LOOP: "deadlines.initCrashLoop",
    StartProblemKind.INIT_RUNNING: "deadlines.initRunning",
}
"""Where the settings of an agent have the limit."""


def awaited(wait: Waiting) -> str:
    """For what, such as ``init container fetch`` or ``a node``."""
    return _WITH_NAME[wait.kind].format(wait.name) if wait.name else _WITHOUT_NAME[wait.kind]


def since(wait: Waiting) -> list[str]:
    """Since when, if that is known."""
    if wait.since is None:
        return []
    return [f"{at(wait.since, UTC)} at the earliest" if wait.at_earliest else at(wait.since, UTC)]


def container(wait: Waiting) -> str:
    """The container that is waited for, if it is one."""
    return wait.name if wait.kind in _OF_CONTAINERS else ""


def setting(wait: Waiting) -> str:
    """The setting that has the limit of the wait; empty if there is none."""
    return _SETTINGS[wait.limit] if wait.limit is not None else ""


def given_up(wait: Waiting) -> str:
    """When the agent gives the pod up, if its settings have the default."""
    if wait.limit is None:
        return "never: the agent has no deadline for this"
    if wait.given_up_after is None:
        return f"never: {setting(wait)} is null by default"
    return f"after {age(wait.given_up_after)}, the default of {setting(wait)}"
