from datetime import UTC, datetime, timedelta

from agent.cluster.diagnosis.evidence_wait import CROWDED, EvidenceWait
from agent.cluster.evidence.case import Case, open_case
from agent.core.failure import Occurrence
from agent.core.run_event import Identity, PodReference
from agent.kube import objects
from agent.observe.entry import PodEntry
from agent.observe.occurrence import Occurred

NOW = datetime(2026, 11, 21, tzinfo=UTC)
WAIT = timedelta(seconds=2)


def case(pod: str = "pod-1", occurrence: Occurrence = Occurrence.POD_FAILED, *, dead: str = "") -> Case:
    entry = PodEntry(
        identity=Identity(job_id="job", run_id=pod), reference=PodReference(namespace="n", name=pod, uid=pod)
    )
    occurred = Occurred(occurrence=occurrence, occurred_at=NOW, container="main" if dead else None, discriminator=dead)
    return open_case(occurred, entry, objects.Pod(), cluster_id="c", observed_at=NOW)


def test_a_case_waits_and_is_due() -> None:
    room = EvidenceWait(wait=WAIT, at_most=10)

    assert room.wait(case(), now=NOW) is None
    assert room.next() == NOW + WAIT
    assert room.take_due(NOW + timedelta(seconds=1)) == []
    (due,) = room.take_due(NOW + WAIT)
    assert due.event_id == case().event_id
    assert len(room) == 0


def test_a_clock_that_is_set_back_makes_nobody_wait_longer() -> None:
    room = EvidenceWait(wait=WAIT, at_most=10)
    room.wait(case(), now=NOW)
    before = NOW - timedelta(hours=1)
    room.wait(case("pod-2"), now=before)

    assert [due.pod_uid for due in room.take_due(before + timedelta(seconds=1))] == []
    assert {due.pod_uid for due in room.take_due(before + WAIT)} == {"pod-1", "pod-2"}
    assert room.next() is None


def test_a_case_waits_from_when_it_first_came() -> None:
    room = EvidenceWait(wait=WAIT, at_most=10)
    room.wait(case(), now=NOW)
    (taken,) = room.take_pod("pod-1")

    assert room.wait(taken, now=NOW + timedelta(seconds=1)) is None
    assert room.next() == NOW + WAIT
    (due,) = room.take_due(NOW + WAIT)
    assert room.wait(due, now=NOW + WAIT) == due


def test_only_the_pods_own_cases_are_taken() -> None:
    room = EvidenceWait(wait=WAIT, at_most=10)
    for one in (case(), case(occurrence=Occurrence.DEADLINE_EXCEEDED), case("pod-2")):
        room.wait(one, now=NOW)

    assert {taken.occurred.occurrence for taken in room.take_pod("pod-1")} == {
        Occurrence.POD_FAILED,
        Occurrence.DEADLINE_EXCEEDED,
    }
    assert room.take_pod("pod-1") == []
    assert [taken.pod_uid for taken in room.take_due(NOW + WAIT)] == ["pod-2"]


def test_where_too_many_wait_the_next_does_not_and_says_so() -> None:
    room = EvidenceWait(wait=WAIT, at_most=1)
    room.wait(case(), now=NOW)

    turned_away = room.wait(case("pod-2"), now=NOW)

    assert turned_away is not None
    assert turned_away.missing == (CROWDED,)
    assert len(room) == 1


def test_restarts_in_place_do_not_wait_and_nothing_does_without_a_wait() -> None:
    restart = case(occurrence=Occurrence.CONTAINER_RESTARTED, dead="d1")

    assert EvidenceWait(wait=WAIT, at_most=10).wait(restart, now=NOW) is restart
    assert EvidenceWait(wait=timedelta(0), at_most=10).wait(case(), now=NOW) == case()


def test_all_can_be_taken() -> None:
    room = EvidenceWait(wait=WAIT, at_most=10)
    for pod in ("pod-1", "pod-2"):
        room.wait(case(pod), now=NOW)

    assert {taken.pod_uid for taken in room.take_all()} == {"pod-1", "pod-2"}
    assert (len(room), room.next()) == (0, None)


def test_nothing_waits_in_a_closed_room() -> None:
    room = EvidenceWait(wait=WAIT, at_most=10)
    room.wait(case(), now=NOW)

    room.close()

    assert room.wait(case("pod-2"), now=NOW) is not None
    assert len(room.take_all()) == 1


def test_restarts_of_one_pod_are_different_cases_and_a_never_started_container_is_not() -> None:
    first, second = (case(occurrence=Occurrence.CONTAINER_RESTARTED, dead=dead) for dead in ("d1", "d2"))
    assert first.event_id != second.event_id

    stuck = Occurred(occurrence=Occurrence.NEVER_STARTED, occurred_at=NOW, container="main")
    other = Occurred(occurrence=Occurrence.NEVER_STARTED, occurred_at=NOW, container="init")
    entry = case().entry
    ids = {open_case(each, entry, objects.Pod(), cluster_id="c", observed_at=NOW).event_id for each in (stuck, other)}
    assert len(ids) == 1
