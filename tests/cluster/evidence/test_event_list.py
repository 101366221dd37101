"""Events by one bounded list a failed pod."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.cluster.evidence.case import Case, open_case
from agent.cluster.evidence.event_list import EventList, RateLimit
from agent.cluster.evidence.events import EventCache
from agent.core.failure import Occurrence
from agent.core.run_event import Identity, PodReference
from agent.kube import objects
from agent.kube.events import EventsUnavailable
from agent.observe.entry import PodEntry
from agent.observe.occurrence import Occurred

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@given(
    gaps=st.lists(st.floats(0, 2), max_size=60),
    per_second=st.floats(0.5, 50),
    within=st.floats(0.01, 5),
)
def test_turns_are_evenly_spaced_and_nobody_waits_too_long(gaps: list[float], per_second: float, within: float) -> None:
    rate_limit, now, taken = RateLimit(per_second=per_second), 0.0, list[float]()
    for gap in gaps:
        now += gap
        pause = rate_limit.take(now, within=within)
        if pause is not None:
            assert 0 <= pause < within
            taken.append(now + pause)

    assert all(later - earlier >= 1 / per_second - 1e-6 for earlier, later in pairwise(taken))


@given(per_second=st.floats(1, 50))
def test_whoever_is_turned_away_takes_no_turn(per_second: float) -> None:
    rate_limit = RateLimit(per_second=per_second)
    while rate_limit.take(0.0, within=1.0) is not None:
        pass
    for _ in range(100):
        assert rate_limit.take(0.0, within=1.0) is None

    assert rate_limit.take(2.0, within=1.0) == 0.0


@dataclass
class Server:
    """Says of every pod and node that something happened, unless it is to fail."""

    error: EventsUnavailable | None = None
    asked: list[str] = field(default_factory=list)

    async def about_pod(self, pod: PodReference, *, deadline: float) -> list[objects.Event]:
        return self._answer("Pod", pod.uid, deadline)

    async def about_node(self, name: str, *, deadline: float) -> list[objects.Event]:
        return self._answer("Node", name, deadline)

    def _answer(self, kind: str, name: str, deadline: float) -> list[objects.Event]:
        assert 0 < deadline <= 1.0
        self.asked.append(name)
        if self.error is not None:
            raise self.error
        about = objects.ObjectReference(kind=kind, name=name, uid=name)
        return [objects.Event(metadata=objects.Metadata(uid=f"e-{name}"), involvedObject=about, message="why")]


def case(uid: str, *, node: str = "", occurrence: Occurrence = Occurrence.POD_FAILED) -> Case:
    reference = PodReference(namespace="ml", name=uid, uid=uid, node=node)
    entry = PodEntry(identity=Identity(job_id="j", run_id="r"), reference=reference)
    occurred = Occurred(occurrence=occurrence, occurred_at=NOW, container="main", discriminator="")
    return open_case(occurred, entry, None, cluster_id="c", observed_at=NOW)


@dataclass
class Node:
    server: Server = field(default_factory=Server)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.recent = EventCache(things=100, age=timedelta(hours=1))
        self.lookup = EventList(
            self.server,
            self.recent,
            rate_limit=RateLimit(per_second=1000.0),
            deadline=1.0,
            clock=lambda: NOW,
            monotonic=lambda: self.seconds,
        )


def missing(read: Case) -> Sequence[str]:
    return [each.reason for each in read.missing if each.what == "events"]


async def test_a_pods_events_are_among_the_recent_ones_afterwards() -> None:
    node = Node()
    read = await node.lookup.read(case("a"))

    assert missing(read) == []
    assert [event.message for event in node.recent.about_pod("a")] == ["why"]


async def test_a_nodes_events_are_listed_for_many_pods_at_once() -> None:
    node = Node()
    for uid in ("a", "b", "c"):
        await node.lookup.read(case(uid, node="n"))
    assert node.server.asked == ["a", "n", "b", "c"]

    node.seconds = 31.0
    await node.lookup.read(case("d", node="n"))
    assert node.server.asked[-2:] == ["d", "n"]


async def test_what_could_not_be_listed_is_missing() -> None:
    node = Node(Server(EventsUnavailable("403: no")))

    assert missing(await node.lookup.read(case("a"))) == ["403: no"]


async def test_a_burst_is_reported_without_events_rather_than_late() -> None:
    node = Node()
    node.lookup._rate_limit.per_second = 5.0
    node.lookup._rate_limit._next = 10.0

    assert missing(await node.lookup.read(case("a"))) == ["more pods failed than events are listed for: 5 a second"]
    assert node.server.asked == []


@pytest.mark.parametrize(
    ("occurrence", "wanted"), [(Occurrence.POD_FAILED, True), (Occurrence.CONTAINER_RESTARTED, False)]
)
def test_restarts_in_place_are_not_asked_about(occurrence: Occurrence, *, wanted: bool) -> None:
    assert Node().lookup.wanted(case("a", occurrence=occurrence)) is wanted
