from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.failure import CategoryAction, CheckAction, CheckCause, CheckFinding, Occurrence
from agent.kube import objects
from agent.observe.removal import (
    Deletion,
    Removal,
    RemovalKind,
    RemovalReport,
    advance,
    is_caused_by_removal,
    next_deletion,
    plan_removal,
    removal_due,
)
from tests.observe.pods import NOW, ago, pod, status, terminated, waiting

EXPIRY = timedelta(minutes=3)
DELETED: dict[str, Any] = {"metadata": {"deletionTimestamp": ago(1)}}
UNSTARTED = status("Pending", waiting("Odd"))
RUNNING = status("Running", {"running": {"startedAt": ago(1)}})


def removal(kind: RemovalKind = RemovalKind.FAILED, *, phase: str = "Failed", since: float = 10) -> Removal:
    return Removal(
        kind=kind, since=ago(since), phase=phase, event_id="" if kind is RemovalKind.HALTED else "e", category="c"
    )


def finding(action: CheckAction) -> CheckFinding:
    return CheckFinding(check="check", action=action, cause=CheckCause.STARTUP)


@pytest.mark.parametrize(
    ("occurrence", "action", "check", "kind"),
    [
        (Occurrence.POD_FAILED, CategoryAction.RETAIN, None, None),
        (Occurrence.POD_FAILED, CategoryAction.DELETE, None, RemovalKind.FAILED),
        (Occurrence.POD_FAILED, CategoryAction.RETAIN, finding(CheckAction.RETRY), RemovalKind.FAILED),
        (Occurrence.NEVER_STARTED, CategoryAction.RETAIN, finding(CheckAction.RETRY), RemovalKind.UNSTARTED),
        (Occurrence.NEVER_STARTED, CategoryAction.RETAIN, finding(CheckAction.FAIL), RemovalKind.HALTED),
        (Occurrence.NEVER_STARTED, CategoryAction.DELETE, None, RemovalKind.HALTED),
        (Occurrence.DEADLINE_EXCEEDED, CategoryAction.RETAIN, None, RemovalKind.HALTED),
        (Occurrence.STUCK_TERMINATING, CategoryAction.RETAIN, None, RemovalKind.HALTED),
        (Occurrence.CONTAINER_RESTARTED, CategoryAction.DELETE, None, None),
        (Occurrence.DELETED_EXTERNALLY, CategoryAction.DELETE, None, None),
    ],
)
def test_what_is_removed(
    occurrence: Occurrence, action: CategoryAction, check: CheckFinding | None, kind: RemovalKind | None
) -> None:
    assert plan_removal(occurrence, action=action, check=check) is kind


def step(it: Removal, at: objects.Pod | None, *, away: bool = False) -> tuple[Removal | None, RemovalReport]:
    return advance(it, at, away=away, now=NOW, expiry=EXPIRY)


def test_a_held_failure_is_reported_when_the_pod_is_gone() -> None:
    held = removal()

    assert step(held, pod(status("Failed"))) == (held, RemovalReport.NOTHING)
    assert step(held, pod(status("Failed"), **DELETED)) == (held, RemovalReport.NOTHING)
    assert step(held, None, away=True) == (None, RemovalReport.HELD)


def test_a_pod_that_stays_too_long_is_reported_once_as_stuck() -> None:
    late = removal(since=180)
    after, telling = step(late, pod(status("Failed")))

    assert telling is RemovalReport.STUCK
    assert after is not None
    assert step(after, pod(status("Failed"))) == (after, RemovalReport.NOTHING)
    assert step(after, None, away=True) == (None, RemovalReport.NOTHING)
    assert removal_due(late, expiry=EXPIRY) == NOW
    assert removal_due(after, expiry=EXPIRY) is None


def test_a_pod_that_never_started_and_is_to_be_tried_again_is_never_stuck() -> None:
    late = removal(RemovalKind.UNSTARTED, phase="Pending", since=180)
    after, telling = step(late, pod(UNSTARTED))

    assert removal_due(late, expiry=EXPIRY) == NOW
    assert telling is RemovalReport.NOTHING
    assert after is not None
    assert after.without_finalizer
    assert removal_due(after, expiry=EXPIRY) is None
    assert step(after, pod(UNSTARTED, **DELETED)) == (after, RemovalReport.NOTHING)
    assert step(after, None, away=True) == (None, RemovalReport.HELD)


@pytest.mark.parametrize("phase", ["Running", "Succeeded"])
def test_a_deleted_pod_that_leaves_pending_has_started_though_no_container_says_so(phase: str) -> None:
    unstarted = removal(RemovalKind.UNSTARTED, phase="Pending")

    assert step(unstarted, pod({"phase": phase}, **DELETED))[1] is RemovalReport.STARTED
    assert step(unstarted, pod({"phase": "Unknown"}, **DELETED)) == (unstarted, RemovalReport.NOTHING)
    assert step(unstarted, pod({"phase": "Failed"}, **DELETED)) == (unstarted, RemovalReport.NOTHING)


def test_a_halted_pod_has_nothing_more_to_report() -> None:
    halted = removal(RemovalKind.HALTED, phase="Pending", since=10**6)

    assert step(halted, pod(RUNNING, **DELETED)) == (halted, RemovalReport.NOTHING)
    assert step(halted, None, away=True) == (None, RemovalReport.NOTHING)


def test_a_pod_that_starts_by_itself_is_let_live() -> None:
    unstarted = removal(RemovalKind.UNSTARTED, phase="Pending")

    assert step(unstarted, pod(UNSTARTED)) == (unstarted, RemovalReport.NOTHING)
    assert step(unstarted, pod(RUNNING)) == (None, RemovalReport.CANCELLED)


def test_a_pod_that_starts_although_it_was_deleted_is_reported_at_once() -> None:
    after, telling = step(removal(RemovalKind.UNSTARTED, phase="Pending"), pod(RUNNING, **DELETED))

    assert telling is RemovalReport.STARTED
    assert after is not None
    assert after.reported


def test_a_pod_the_kubelet_calls_failed_for_our_deletion_never_started() -> None:
    unstarted = removal(RemovalKind.UNSTARTED, phase="Pending")
    swept = pod(status("Failed", waiting("Odd")), **DELETED)

    assert step(unstarted, swept) == (unstarted, RemovalReport.NOTHING)
    assert is_caused_by_removal(unstarted, Occurrence.POD_FAILED, swept)
    assert not is_caused_by_removal(unstarted, Occurrence.POD_FAILED, pod(status("Failed", terminated()), **DELETED))
    assert not is_caused_by_removal(unstarted, Occurrence.POD_FAILED, pod(status("Failed", waiting("Odd"))))
    assert not is_caused_by_removal(removal(), Occurrence.POD_FAILED, swept)
    assert not is_caused_by_removal(None, Occurrence.POD_FAILED, swept)


PODS = st.sampled_from([pod(made, **meta) for made in (UNSTARTED, RUNNING, status("Failed")) for meta in ({}, DELETED)])


@given(st.sampled_from(RemovalKind), st.lists(st.tuples(PODS, st.floats(0, 400))), st.floats(0, 400))
def test_at_most_one_report_is_made_and_one_at_the_end(
    kind: RemovalKind, seen: list[tuple[objects.Pod, float]], end: float
) -> None:
    at: Removal | None = removal(kind, phase="Pending", since=0)
    told = []
    for state, seconds in sorted(seen, key=lambda moment: moment[1]):
        if at is not None:
            at, telling = advance(at, state, away=False, now=ago(-seconds), expiry=EXPIRY)
            told.append(telling)
    if at is not None:
        at, telling = advance(at, None, away=True, now=ago(-end), expiry=EXPIRY)
        told.append(telling)

    assert at is None
    assert len([report for report in told if report is not RemovalReport.NOTHING]) == (kind is not RemovalKind.HALTED)


@pytest.mark.parametrize(
    ("kind", "deleted", "timeout", "request_made"),
    [
        (RemovalKind.FAILED, None, 30, Deletion()),
        (RemovalKind.HALTED, None, 30, Deletion()),
        (RemovalKind.UNSTARTED, None, 30, Deletion(resource_version="7")),
        (RemovalKind.FAILED, 29, 30, None),
        (RemovalKind.FAILED, 30, 30, Deletion(by_force=True)),
        (RemovalKind.FAILED, 10**6, None, None),
    ],
)
def test_deletions_are_gentle_first_and_forced_only_where_they_may_be(
    kind: RemovalKind, deleted: float | None, timeout: float | None, request_made: Deletion | None
) -> None:
    made = next_deletion(
        removal(kind),
        deleted_at=None if deleted is None else ago(deleted),
        resource_version="7",
        now=NOW,
        kill_timeout=None if timeout is None else timedelta(seconds=timeout),
    )

    assert made == request_made
