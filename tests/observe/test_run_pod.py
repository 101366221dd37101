"""Pods of submitted jobs, look by look: what is told of them, and whether they may still live."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agent.core.identity.labels import DISCARD_REQUESTED, STOP_REQUESTED
from agent.core.run_event import Confirmation, RunPhase
from agent.kube import objects
from agent.observe.checks.pending import PendingPodChecks
from agent.observe.deadlines import Deadlines
from agent.observe.doubt import recount
from agent.observe.entry import PodEntry, RunProgress
from agent.observe.identity import identify
from agent.observe.occurrence import observe
from agent.observe.run_pod import confirmation, has_ended, stop_answer
from agent.observe.unstarted import observe_unstarted
from tests.observe.pods import NOW, pod
from tests.tables import table

ROWS = table(Path(__file__).with_name("run_pods.yaml"))
LABELS = {"failure-agent.dev/job": "j1", "failure-agent.dev/run": "r1"}
GATES = {"nodeName": None, "schedulingGates": [{"name": "failure-agent.dev/start"}]}


NOTES = {"stop": STOP_REQUESTED, "discard": DISCARD_REQUESTED}


def of_run(status: dict[str, Any] | None = None, *, metadata: dict[str, Any] | None = None, **more: Any) -> objects.Pod:
    return pod(status, metadata={"labels": LABELS, **(metadata or {})}, **more)


def play(row: dict[str, Any]) -> tuple[RunProgress, objects.Pod, list[str]]:
    """The progress and the pod as they were seen last, and the occurrences that were told."""
    entry: PodEntry | None = None
    last, told = objects.Pod(), list[str]()
    given, notes = dict[str, Any](), dict[str, str]()
    for look in row["looks"]:
        given = look.get("pod", given)
        notes |= {note: NOTES[note] for note in NOTES.keys() & look.keys()}
        found = None if look.get("gone") else of_run(**noted(given, notes))
        now, deleted = NOW + timedelta(seconds=look.get("at", 0)), bool(look.get("deleted") or look.get("gone"))
        entry, occurred = observe(entry, found, deleted=deleted, now=now, deadlines=Deadlines())
        last = found or last
        told += [each.occurrence.value for each in occurred]
    assert entry is not None
    assert entry.run is not None
    return entry.run, last, told


def noted(given: dict[str, Any], notes: dict[str, str]) -> dict[str, Any]:
    """The pod with what the agent noted on it before it deleted it."""
    annotations = {annotation: NOW.isoformat() for annotation in notes.values()}
    return {**given, "metadata": {**given.get("metadata", {}), "annotations": annotations}}


def observed_before(found: objects.Pod | None) -> PodEntry:
    entry, _ = observe(None, found, deleted=False, now=NOW, deadlines=Deadlines())
    return entry


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_what_is_seen_of_the_pod_of_a_run(row: dict[str, Any]) -> None:
    run, last, told = play(row)
    confirmed = confirmation(run, last, watched=row.get("watched", True))
    gone = any(look.get("deleted") for look in row["looks"])
    ended = gone or has_ended(last, confirmed) or run.phase is RunPhase.SUCCEEDED
    answer = stop_answer(run, last).value if ended else None

    assert told == row.get("told", [])
    assert (run.gated, run.phase) == (row.get("gated", False), row.get("phase"))
    assert (confirmed, answer) == (row.get("confirmed"), row.get("answer"))


def test_every_confirmation_by_the_agent_has_a_row() -> None:
    assert {row.get("confirmed") for row in ROWS} == {None, *set(Confirmation) - {Confirmation.PERSON}}


def test_a_pod_without_both_labels_is_of_no_run() -> None:
    for name in LABELS:
        found = pod({"phase": "Running"}, metadata={"labels": {name: "x"}})
        entry, _ = observe(None, found, deleted=False, now=NOW, deadlines=Deadlines())
        assert entry.run is None


def test_a_label_that_somebody_removes_changes_nothing() -> None:
    entry = observed_before(of_run({"phase": "Pending"}, spec=GATES))
    after, _ = observe(entry, pod({"phase": "Running"}), deleted=False, now=NOW, deadlines=Deadlines())

    assert after.run is not None
    assert after.run.phase is RunPhase.RUNNING


def test_a_discarded_pod_that_is_stopped_after_all_is_one_whose_end_somebody_waits_for() -> None:
    discarded = of_run(**noted({}, {"discard": DISCARD_REQUESTED}))
    stopped = of_run(**noted({}, NOTES))
    entry, _ = observe(None, discarded, deleted=False, now=NOW, deadlines=Deadlines())
    after, _ = observe(entry, stopped, deleted=False, now=NOW, deadlines=Deadlines())

    assert entry.run is not None
    assert after.run is not None
    assert (entry.run.discarded, after.run.discarded) == (True, False)


def test_what_is_noted_on_a_pod_of_no_run_says_nothing() -> None:
    deleted = {"deletionTimestamp": NOW, "annotations": {STOP_REQUESTED: NOW.isoformat()}}
    found = pod({"phase": "Running"}, metadata=deleted)
    _, occurred = observe(None, found, deleted=True, now=NOW, deadlines=Deadlines())

    assert [each.occurrence.value for each in occurred] == ["deleted-externally"]


def test_the_events_of_a_run_keep_their_order_under_its_job_whatever_its_other_labels_say() -> None:
    foreign = {"jobset.sigs.k8s.io/jobset-uid": "s1", "scheduling.x-k8s.io/pod-group": "g1"}
    theirs = pod({"phase": "Running"}, metadata={"labels": foreign})
    ours = pod({"phase": "Running"}, metadata={"labels": {**foreign, **LABELS}})

    assert identify(theirs).scope != identify(ours).scope
    assert identify(ours).scope == "j1"


def test_armadas_checks_wait_for_the_removal_of_the_gate() -> None:
    created, checks = {"creationTimestamp": NOW}, PendingPodChecks(deadline_for_node_assignment=timedelta(minutes=5))
    gated = of_run({"phase": "Pending"}, metadata=created, spec=GATES)
    started = of_run({"phase": "Pending"}, metadata=created, spec={"nodeName": None})
    hour, entry = NOW + timedelta(hours=1), None
    told = []
    for found, at in ((gated, hour), (started, hour), (started, hour + timedelta(minutes=6))):
        entry, _ = observe(entry, found, deleted=False, now=at, deadlines=Deadlines())
        told.append(observe_unstarted(entry, found, (), checks=checks, now=at)[1])

    assert [len(each) for each in told] == [0, 0, 1]


def test_after_a_wrong_clock_the_removal_of_the_gate_counts_from_now() -> None:
    entry = observed_before(of_run({"phase": "Pending"}, spec={"nodeName": None}))
    later = NOW + timedelta(days=400)

    assert entry.run is not None
    assert recount(entry, later).run == replace(entry.run, started_at=later)
    gated = observed_before(of_run({"phase": "Pending"}, spec=GATES))
    assert recount(gated, later).run == gated.run
