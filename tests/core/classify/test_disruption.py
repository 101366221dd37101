from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent.core.classify.disruption import CLOCKS_APART, came_late
from agent.core.evidence import Condition, Container, ContainerKind, ContainerState, Pod, StateKind

ENDED = datetime(2026, 1, 1, tzinfo=UTC)
RUNNING = ContainerState(kind=StateKind.RUNNING)
WAITING = ContainerState(kind=StateKind.WAITING)


def condition(after: timedelta | None, *, kind: str = "DisruptionTarget") -> Condition:
    return Condition(type=kind, status="True", transitioned_at=None if after is None else ENDED + after)


def container(state: ContainerState, kind: ContainerKind = ContainerKind.APP) -> Container:
    return Container(name="c", kind=kind, state=state)


def ended(code: int = 1, at: datetime | None = ENDED) -> ContainerState:
    return ContainerState(kind=StateKind.TERMINATED, exit_code=code, finished_at=at)


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("given", "late"),
    [
        (condition(HOUR), True),
        (condition(HOUR, kind="TerminationTarget"), True),
        (condition(HOUR, kind="PodScheduled"), False),
        (condition(None), False),
        (condition(-HOUR), False),
        (condition(CLOCKS_APART), False),
        (condition(CLOCKS_APART + timedelta(seconds=1)), True),
    ],
)
def test_a_disruption_is_late_where_the_pod_had_ended(*, given: Condition, late: bool) -> None:
    assert came_late(given, Pod(phase="Failed", containers=(container(ended()),))) is late


INIT, SIDECAR = ContainerKind.INIT, ContainerKind.SIDECAR


@pytest.mark.parametrize(
    ("pod", "late"),
    [
        ({"phase": "Running", "containers": [container(ended())]}, False),
        ({"phase": "Succeeded", "containers": [container(ended(0))]}, True),
        ({"phase": "Failed", "containers": []}, False),
        ({"phase": "Failed", "containers": [container(RUNNING), container(ended())]}, False),
        ({"phase": "Failed", "containers": [container(ended()), container(ended(at=None))]}, False),
        ({"phase": "Failed", "containers": [container(ended()), container(ended(at=ENDED + HOUR))]}, False),
        ({"phase": "Failed", "containers": [container(WAITING), container(ended(), INIT)]}, True),
        ({"phase": "Failed", "containers": [container(WAITING), container(ended(0), INIT)]}, False),
        ({"phase": "Failed", "containers": [container(ended()), container(RUNNING, SIDECAR)]}, True),
    ],
)
def test_a_pod_had_ended_where_all_that_matters_in_it_had(*, pod: dict[str, Any], late: bool) -> None:
    seen = Pod(phase=pod["phase"], containers=tuple(pod["containers"]))

    assert came_late(condition(HOUR), seen) is late
