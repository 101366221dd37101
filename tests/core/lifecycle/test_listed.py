"""When a list proves that what was sent about a pod had no effect."""

from datetime import timedelta

import pytest

from agent.core.lifecycle.inventory import is_without_effect
from agent.core.run_event import Confirmation, ListedRun, PodReference, RunPhase
from tests.core.lifecycle.made import T0, play

STARTED = ("0 leased r0 confirmed", "1 created r0 u0")
FAILED = (*STARTED, "2 running u0", "3 failed u0 retry")
ANSWERED = (*FAILED, "5 stopped u0 gone")
CONTAINERS = Confirmation.CONTAINERS


def proved(*lines: str, gated: bool = False, confirmed: Confirmation | None = None, as_of: float | None = 9) -> bool:
    """Of the recorded pod of a run that changed at 5 s."""
    pod = PodReference(namespace="jobs", name="p", uid="u0")
    listed = ListedRun(
        pod=pod, job_id="j", run_id="r0", queue="", phase=RunPhase.RUNNING, gated=gated, confirmed=confirmed
    )
    then = None if as_of is None else T0 + timedelta(seconds=as_of)
    return is_without_effect(listed, play(*lines)[0].runs[0], as_of=then, changed_at=T0 + timedelta(seconds=5))


@pytest.mark.parametrize(
    ("lines", "gated", "expected"),
    [
        (STARTED, True, True),
        (STARTED, False, False),
        ((*STARTED, "5 pending u0"), True, False),
        (FAILED, False, False),
        (ANSWERED, False, True),
        ((*ANSWERED, "5 stopped u0 gone confirmed"), False, False),
        ((*FAILED, "5 confirmed u0 person"), False, True),
    ],
)
def test_a_start_whose_gate_is_there_and_a_stop_that_was_answered_had_none(
    lines: tuple[str, ...], *, gated: bool, expected: bool
) -> None:
    assert proved(*lines, gated=gated) is expected
    assert not any(proved(*lines, gated=gated, as_of=older) for older in (None, 5, 1))


def test_a_pod_that_has_ended_needs_no_stop() -> None:
    assert not proved(*ANSWERED, confirmed=CONTAINERS)
