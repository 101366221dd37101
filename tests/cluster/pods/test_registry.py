from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from agent.cluster.pods.registry import PodRegistry, TrackedPod, only_finalizers_left
from agent.cluster.spool.entries import Forgotten, Known
from agent.cluster.spool.schema import SpoolError
from agent.core.failure import Identity, Occurrence, PodReference
from agent.kube.objects import Metadata, Pod
from agent.observe.deadlines import TroubleKind
from agent.observe.entry import PodEntry, Restart, Trouble

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ENTRY = PodEntry(
    identity=Identity(job_id="job", run_id="run", attempt=0),
    reference=PodReference(namespace="n", name="a", uid="u"),
    resource_version="7",
    phase="Failed",
    ended=Occurrence.POD_FAILED,
    halted=Occurrence.NEVER_STARTED,
    restarts=(Restart(container="main", dead="d"),),
    troubles=(Trouble(kind=TroubleKind.IMAGE, container="main", since=NOW),),
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
    assert restored.reported == {"e1"}


def test_a_pod_that_is_gone_is_to_be_forgotten() -> None:
    assert TrackedPod(entry=ENTRY, gone=True).durable() == Forgotten(uid="u")


def test_an_entry_that_is_none_is_said_to_be_none() -> None:
    with pytest.raises(SpoolError, match="pod u cannot be read"):
        PodRegistry().restore([Known(uid="u", entry=b"{}")], {})


@pytest.mark.parametrize("changed", [{"held": False}, {"gone": True}, {"working": 1}, {"unsaved": 1}])
def test_a_pod_is_not_released_while_anything_speaks_against_it(changed: dict[str, bool | int]) -> None:
    pods = PodRegistry()
    pods.put(TrackedPod(entry=ENTRY, held=True))
    assert pods.releasable(["u", "unknown"]) == {"u": ENTRY.reference}

    tracked = pods.get("u")
    assert tracked is not None
    for name, value in changed.items():
        setattr(tracked, name, value)

    assert pods.releasable(["u"]) == {}


def test_a_running_pod_is_held_and_a_finished_one_need_not_be() -> None:
    running = TrackedPod(entry=replace(ENTRY, phase="Running", ended=None), wants_finalizer=True, held=False)
    assert (running.to_hold, running.releasable) == (True, False)
    running.entry = replace(running.entry, phase="Succeeded")
    assert running.to_hold is False


@pytest.mark.parametrize(
    ("deleted", "grace", "held"), [(None, None, False), (NOW, 30, False), (NOW, None, False), (NOW, 0, True)]
)
def test_a_deleted_pod_without_grace_is_kept_by_finalizers_only(
    *, deleted: datetime | None, grace: int | None, held: bool
) -> None:
    meta = Metadata(deletionTimestamp=deleted, deletionGracePeriodSeconds=grace)

    assert only_finalizers_left(Pod(metadata=meta)) is held
