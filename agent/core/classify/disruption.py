"""Disruptions: conditions that announce the end of a pod, and whether they came in time (KEP-3329).

A condition that came after the pod had ended by itself does not count, for example when a node with finished pods is
drained.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from agent.core.evidence import Condition, Container, ContainerKind, Pod, StateKind

TARGETED: Final = frozenset({"DisruptionTarget", "TerminationTarget"})
CLOCKS_APART: Final = timedelta(seconds=2)
"""How far the clock of a node, which reports when a container ended, may differ from that of the control plane."""

_FINISHED = frozenset({"Failed", "Succeeded"})


def came_late(condition: Condition, pod: Pod) -> bool:
    """Whether the condition was set after the pod had ended by itself."""
    if condition.type not in TARGETED or condition.transitioned_at is None or pod.phase not in _FINISHED:
        return False
    ended = _ended_by_itself(pod.containers)
    return ended is not None and condition.transitioned_at - ended > CLOCKS_APART


def _ended_by_itself(containers: Sequence[Container]) -> datetime | None:
    """When its last app container ended, or the init container that failed; ``None`` unless all times are known.

    Containers that were added count only if there are no others, because they end when the others have ended.
    """
    apps = [container for container in containers if container.kind is ContainerKind.APP]
    apps = [container for container in apps if not container.injected] or apps
    last = [
        container for container in containers if container.kind is ContainerKind.INIT and container.state.exit_code
    ] or apps
    times = [container.state.finished_at for container in last if container.state.kind is StateKind.TERMINATED]
    known = [at for at in times if at is not None]
    return max(known) if known and len(known) == len(last) else None
