from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.spool.entries import Forgotten, Known, Report
from agent.cluster.spool.schema import SpoolError
from agent.core.failure import Occurrence
from agent.core.run_event import Identity, PodReference
from agent.kube.objects import Metadata, Pod
from agent.observe.deadlines import StartProblemKind
from agent.observe.entry import PodEntry, Restart, StartProblem
from agent.observe.removal import Deletion, Removal, RemovalKind, only_finalizers_left

NOW = datetime(2026, 11, 21, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ENTRY = PodEntry(
    identity=Identity(job_id="job", run_id="run", attempt=0),
    reference=PodReference(namespace="n", name="a", uid="u"),
    resource_version="7",
    phase="Failed",
    ended=Occurrence.POD_FAILED,
    halted=Occurrence.NEVER_STARTED,
    restarts=(Restart(container="main", dead="d"),),
    start_problems=(StartProblem(kind=StartProblemKind.IMAGE, container="main", since=NOW),),
    due_at=NOW,
    stopping=True,
)


def test_what_is_known_outlives_the_process_but_for_what_every_look_changes() -> None:
    known = TrackedPod(entry=ENTRY).durable()
    assert isinstance(known, Known)
    pods = PodRegistry()

    pods.restore([known], {"u": frozenset({"e1"})})

    (restored,) = pods.unseen()
    assert restored.entry == replace(ENTRY, resource_version="", due_at=None)
    assert restored.reported_before == {"e1"}


def test_what_an_earlier_process_counted_by_a_wrong_clock_is_counted_again() -> None:
    known = TrackedPod(entry=ENTRY).durable()
    assert isinstance(known, Known)
    pods = PodRegistry()

    pods.restore([known], {}, counted_from=NOW + MINUTE)

    (restored,) = pods.unseen()
    assert [problem.since for problem in restored.entry.start_problems] == [NOW + MINUTE]


def test_no_deletion_is_forced_while_there_is_a_doubt_about_the_clock() -> None:
    doubts = ["the time is not known"]
    pods = PodRegistry(kill_timeout=MINUTE, doubt=lambda: doubts[0] if doubts else None)
    removal = Removal(kind=RemovalKind.HALTED, since=NOW)
    pods.put(TrackedPod(entry=replace(ENTRY, removal=removal), deleted_at=NOW))

    assert pods.next_deletion("u", now=NOW + 2 * MINUTE) is None
    doubts.clear()
    assert pods.next_deletion("u", now=NOW + 2 * MINUTE) == Deletion(by_force=True)


def test_a_pod_that_is_gone_is_to_be_forgotten() -> None:
    assert TrackedPod(entry=ENTRY, gone=True).durable() == Forgotten(uid="u")


def test_an_entry_that_is_none_is_said_to_be_none() -> None:
    with pytest.raises(SpoolError, match="pod u cannot be read"):
        PodRegistry().restore([Known(uid="u", entry=b"{}")], {})


@pytest.mark.parametrize(
    "changed", [{"held": False}, {"gone": True}, {"out_of_scope": True}, {"working": 1}, {"unsaved": 1}]
)
def test_a_pod_is_not_released_while_anything_speaks_against_it(changed: dict[str, Any]) -> None:
    pods = PodRegistry()
    pods.put(TrackedPod(entry=ENTRY, held=True))
    assert pods.releasable(["u", "unknown"]) == {"u": ENTRY.reference}

    pods.put(TrackedPod(entry=ENTRY, **{"held": True, **changed}))

    assert pods.releasable(["u"]) == {}


def test_a_running_pod_is_held_and_a_finished_one_need_not_be() -> None:
    running = TrackedPod(entry=replace(ENTRY, phase="Running", ended=None), wants_finalizer=True)
    assert (running.to_hold, running.releasable) == (True, False)

    finished = TrackedPod(entry=replace(running.entry, phase="Succeeded"), wants_finalizer=True)
    assert finished.to_hold is False


def report(uid: str) -> Report:
    return Report(event_id=f"e-{uid}", pod_uid=uid, key="k", payload=b"", properties={}, event_time=NOW)


def test_what_is_saved_is_counted_at_the_pods_that_are_tracked() -> None:
    pods = PodRegistry()
    pods.put(known := TrackedPod(entry=ENTRY, unsaved=2))

    assert pods.saved([report("u"), report("dropped"), report("u")]) == [known]
    assert known.settled


def test_a_pod_that_left_is_dropped_when_it_is_settled() -> None:
    pods = PodRegistry()
    stays, left = TrackedPod(entry=ENTRY), TrackedPod(entry=replace(ENTRY, reference=replace_uid("v")), gone=True)
    pods.put(stays)
    pods.put(left)

    assert isinstance(pods.settle(stays), Known)
    assert pods.settle(left) == Forgotten(uid="v")
    assert (pods.get("u"), pods.get("v")) == (stays, None)


def replace_uid(uid: str) -> PodReference:
    return PodReference(namespace="n", name="b", uid=uid)


@pytest.mark.parametrize(
    ("deleted", "grace", "held"), [(None, None, False), (NOW, 30, False), (NOW, None, False), (NOW, 0, True)]
)
def test_a_deleted_pod_without_grace_is_kept_by_finalizers_only(
    *, deleted: datetime | None, grace: int | None, held: bool
) -> None:
    meta = Metadata(deletionTimestamp=deleted, deletionGracePeriodSeconds=grace)

    assert only_finalizers_left(Pod(metadata=meta)) is held
