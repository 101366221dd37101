from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from agent.cluster.evidence.events import PER_TYPE, EventCache, about_uid
from agent.core import evidence
from agent.kube.objects import Event, Metadata, ObjectReference

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HOUR = timedelta(hours=1)


def event(uid: str, *, pod: str = "pod-1", type_: str = "Warning", count: int = 1) -> Event:
    about = ObjectReference(kind="Pod", uid=pod, name=pod)
    return Event(metadata=Metadata(uid=uid), involvedObject=about, type=type_, reason=uid, count=count)


def node_event(uid: str, *, node: str) -> Event:
    about = ObjectReference(kind="Node", uid="anything", name=node)
    return Event(metadata=Metadata(uid=uid), involvedObject=about, type="Normal", reason=uid)


def uids(events: Sequence[evidence.Event]) -> list[str]:
    """Events of this test give their uid as reason."""
    return [event.reason for event in events]


def test_events_of_a_pod_and_of_a_node_are_kept_apart() -> None:
    recent = EventCache(things=10, age=HOUR)
    recent.put(event("e1"), now=NOW)
    recent.put(event("e2", pod="pod-2"), now=NOW)
    recent.put(node_event("e3", node="pod-1"), now=NOW)

    assert uids(recent.about_pod("pod-1")) == ["e1"]
    assert uids(recent.about_node("pod-1")) == ["e3"]
    assert uids(recent.about_pod("nobody")) == []


def test_normal_events_do_not_push_out_warnings() -> None:
    recent = EventCache(things=10, age=HOUR)
    recent.put(event("warning"), now=NOW)
    for number in range(3 * PER_TYPE):
        recent.put(event(f"normal-{number}", type_="Normal"), now=NOW)

    kept = uids(recent.about_pod("pod-1"))
    assert kept == ["warning", *[f"normal-{number}" for number in range(2 * PER_TYPE, 3 * PER_TYPE)]]


def test_an_event_reported_again_replaces_itself_and_is_the_newest() -> None:
    recent = EventCache(things=10, age=HOUR)
    for uid in ("e1", "e2"):
        recent.put(event(uid), now=NOW)
    recent.put(event("e1", count=7), now=NOW)

    assert [(found.reason, found.count) for found in recent.about_pod("pod-1")] == [("e2", 1), ("e1", 7)]


def test_what_was_long_silent_is_forgotten() -> None:
    recent = EventCache(things=10, age=HOUR)
    recent.put(event("old"), now=NOW)
    recent.put(event("kept", pod="pod-2"), now=NOW + HOUR)

    recent.put(event("new", pod="pod-3"), now=NOW + HOUR + timedelta(seconds=1))

    assert uids(recent.about_pod("pod-1")) == []
    assert uids(recent.about_pod("pod-2")) == ["kept"]
    assert recent.forgotten == 0


def test_the_longest_silent_makes_room_and_is_counted() -> None:
    recent = EventCache(things=2, age=HOUR)
    for number, pod in enumerate(("pod-1", "pod-2", "pod-1", "pod-3")):
        recent.put(event(f"e{number}", pod=pod), now=NOW)

    assert uids(recent.about_pod("pod-2")) == []
    assert uids(recent.about_pod("pod-1")) == ["e0", "e2"]
    assert (len(recent), recent.forgotten) == (2, 1)


def test_a_pod_is_forgotten_when_told_so() -> None:
    recent = EventCache(things=2, age=HOUR)
    recent.put(event("e1"), now=NOW)

    recent.forget_pod("pod-1")
    recent.forget_pod("pod-1")

    assert len(recent) == 0


def test_events_about_owners_of_pods_are_found_by_their_uid() -> None:
    recent = EventCache(things=2, age=HOUR)
    job = Event(involvedObject=ObjectReference(kind="Job", uid="u", name="n"), reason="Stopped")

    recent.put(job, now=NOW)

    assert uids(recent.about_owner("u")) == ["Stopped"]
    assert uids(recent.about_pod("u")) == []
    assert about_uid(job) is None


def test_events_about_nothing_that_has_a_uid_are_not_kept() -> None:
    recent = EventCache(things=2, age=HOUR)
    for kind in ("Pod", "Job", "Node"):
        recent.put(Event(involvedObject=ObjectReference(kind=kind)), now=NOW)

    assert len(recent) == 0
    assert about_uid(event("e1")) == "pod-1"


def test_an_event_with_a_uid_like_that_of_another_is_another() -> None:
    recent = EventCache(things=9, age=HOUR)
    uid = "00000000-0000-4000-8000-00000000000a"
    alike = [uid[:-1], uid, uid.upper(), f"{uid}0", "a" * len(uid), "A" * len(uid), ""]
    for each in (*alike, *alike):
        recent.put(event(each), now=NOW)

    assert uids(recent.about_pod("pod-1")) == alike
