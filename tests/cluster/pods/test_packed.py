"""A pod with nothing under way is kept as bytes, and nobody can tell."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from agent.cluster.evidence.events import pack as pack_event
from agent.cluster.evidence.events import unpack as unpack_event
from agent.cluster.pods.packed import is_idle, pack, unpack
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.spool.entries import Known
from agent.core.failure import Occurrence
from agent.core.run_event import Identity, PodReference, RunPhase
from agent.kube import objects
from agent.observe.deadlines import StartProblemKind
from agent.observe.entry import PodEntry, Restart, RunProgress, StartProblem
from agent.observe.events import read_event

NOW = datetime(2026, 11, 21, tzinfo=UTC)
words = st.text(max_size=5)
uuids = st.uuids().map(str)
near_uuids = uuids.map(lambda uuid: f"{uuid[:10]}-{uuid[11:]}") | st.from_regex(
    r"[0-9a -]{8}(-[0-9a -]{4}){3}-[0-9a -]{12}", fullmatch=True
)
ids = words | uuids | near_uuids | uuids.map(str.upper) | st.text("0-a ", min_size=36, max_size=36)
times = st.datetimes(timezones=st.just(UTC))
NODE = objects.ObjectReference(kind="Node", name="n")
numbers = st.none() | st.integers(0, 2**31 - 1)
identities = st.builds(
    Identity,
    job_id=ids,
    run_id=ids,
    queue=words,
    job_set=words,
    job_set_id=words,
    gang_id=words,
    attempt=numbers,
    index=numbers,
)
entries = st.builds(
    PodEntry,
    identity=identities,
    reference=st.builds(PodReference, namespace=words, name=words, uid=words, node=words),
    resource_version=words,
    phase=st.sampled_from(("Pending", "Running", "Failed")),
    ended=st.none() | st.sampled_from(Occurrence),
    halted=st.none() | st.sampled_from(Occurrence),
    restarts=st.lists(st.builds(Restart, container=words, dead=words), max_size=2).map(tuple),
    due_at=st.none() | times,
    stopping=st.booleans(),
    run=st.none()
    | st.builds(
        RunProgress,
        gated=st.booleans(),
        started_at=st.none() | times,
        phase=st.none() | st.sampled_from(RunPhase),
        showed_container=st.booleans(),
        confirmed=st.booleans(),
        discarded=st.booleans(),
    ),
)
events = st.builds(
    objects.Event,
    metadata=st.builds(objects.Metadata, uid=ids, creationTimestamp=st.none() | times),
    type=st.none() | words,
    reason=st.none() | words,
    message=st.none() | words,
    count=st.none() | st.integers(0, 9),
    firstTimestamp=st.none() | times,
    lastTimestamp=st.none() | times,
    eventTime=st.none() | times,
    series=st.none() | st.builds(objects.EventSeries, count=st.none() | st.integers(0, 9), lastObservedTime=times),
    source=st.none() | st.builds(objects.EventSource, component=st.none() | words),
    reportingComponent=st.none() | words,
)


@given(entry=entries, before=words, after=words)
def test_a_name_with_the_jobs_id_is_unpacked_as_it_was(entry: PodEntry, before: str, after: str) -> None:
    pod = replace(entry.reference, name=f"{before}{entry.identity.job_id}{after}")

    assert unpack(pack(replace(entry, reference=pod)), uid=pod.uid).reference == pod


@given(entry=entries)
def test_an_entry_is_unpacked_as_it_was_packed(entry: PodEntry) -> None:
    assert is_idle(entry)
    assert unpack(pack(entry), uid=entry.reference.uid) == replace(entry, resource_version="")


def test_every_part_of_an_entry_is_kept_or_keeps_it_unpacked() -> None:
    known = {"identity", "reference", "phase", "ended", "halted", "restarts", "due_at", "stopping", "run"}

    asked_for_by_removals_only = {"resource_version"}
    assert set(PodEntry.__struct_fields__) == known | {"start_problems", "removal"} | asked_for_by_removals_only
    assert {each.name for each in fields(PodReference)} == {"namespace", "name", "uid", "node"}


@given(event=events)
def test_a_packed_event_says_the_same(event: objects.Event) -> None:
    said = read_event(event)

    assert unpack_event(pack_event(event.metadata.uid or "", said)) == said


ENTRY = PodEntry(identity=Identity(job_id="j", run_id="r"), reference=PodReference(namespace="n", name="a", uid="u"))
IN_HAND: list[dict[str, Any]] = [
    {"working": 1},
    {"unsaved": 1},
    {"held": True},
    {"wants_finalizer": True},
    {"empty": True},
    {"pod": objects.Pod()},
    {"out_of_scope": True},
    {"reported_before": frozenset({"e"})},
]


def test_it_is_packed_and_unpacked() -> None:
    pods = PodRegistry()
    pods.put(tracked := TrackedPod(entry=replace(ENTRY, phase="Running", due_at=NOW), due_at=NOW))
    pods.pack(tracked)

    assert pods.without_state(["u"]) == {"u": ENTRY.reference}
    assert len(pods) == len(list(pods)) == 1
    unpacked = pods.get("u")
    assert unpacked == tracked
    assert unpacked.due_at == NOW, "the time in the delay queue"
    assert unpacked is pods.get("u")
    assert len(pods) == 1


def test_who_only_reads_leaves_it_packed() -> None:
    pods = PodRegistry()
    pods.put(tracked := TrackedPod(entry=ENTRY))
    assert pods.peek("u") is tracked
    pods.pack(tracked)

    peeked = pods.peek("u")
    assert peeked == tracked
    assert pods.peek("u") is not peeked, "a copy"
    assert pods.peek("other") is None


@pytest.mark.parametrize("in_hand", IN_HAND)
def test_it_is_not_packed_while_anything_is_in_hand(in_hand: dict[str, Any]) -> None:
    pods = PodRegistry()
    pods.put(tracked := TrackedPod(entry=ENTRY, **in_hand))

    pods.pack(tracked)

    assert pods.get("u") is tracked


def test_a_pod_in_trouble_stays_unpacked() -> None:
    trouble = StartProblem(kind=StartProblemKind.IMAGE, container="main", since=NOW)
    assert not is_idle(replace(ENTRY, start_problems=(trouble,)))


def test_one_that_woke_again_is_not_overwritten() -> None:
    pods = PodRegistry()
    pods.put(old := TrackedPod(entry=ENTRY))
    pods.pack(old)
    new = pods.get("u")
    assert new is not None
    new.observed(replace(new.entry, phase="Failed"), None, gone=False)

    pods.pack(old)

    assert pods.get("u") is new


def test_a_pod_that_was_dropped_does_not_come_back() -> None:
    pods = PodRegistry()
    pods.put(tracked := TrackedPod(entry=ENTRY))
    pods.drop("u")
    pods.pack(tracked)

    assert pods.get("u") is None


def test_those_from_before_are_unseen_until_they_are_reconciled() -> None:
    known = TrackedPod(entry=ENTRY).durable()
    assert isinstance(known, Known)
    pods = PodRegistry()
    pods.restore([known], {})
    assert [each.seen for each in pods.unseen()] == [False]

    unpacked = pods.get("u")
    assert unpacked is not None
    assert unpacked.seen is False
    unpacked.observed(unpacked.entry, None, gone=False)
    pods.pack(unpacked)

    assert pods.unseen() == []
