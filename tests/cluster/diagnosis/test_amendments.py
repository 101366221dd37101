from datetime import UTC, datetime, timedelta

import pytest

from agent.cluster.diagnosis.amendments import Amendments
from agent.cluster.evidence.case import Case
from agent.core.failure import Classification, Occurrence
from agent.core.run_event import Identity, PodReference
from agent.kube.objects import Pod
from agent.observe.entry import PodEntry
from agent.observe.occurrence import Occurred

NOW = datetime(2026, 11, 21, tzinfo=UTC)
GIVEN = Classification(category="c")


def case(event_id: str, *, pod: str = "u", occurrence: Occurrence = Occurrence.POD_FAILED) -> Case:
    reference = PodReference(namespace="n", name="a", uid=pod)
    return Case(
        event_id=event_id,
        occurred=Occurred(occurrence=occurrence, occurred_at=NOW),
        entry=PodEntry(identity=Identity(job_id="j", run_id="r"), reference=reference),
        pod=Pod(),
        observed_at=NOW,
    )


def ids(amendments: Amendments, *, pod: str = "u", after: float = 0) -> list[str]:
    return [reported.case.event_id for reported in amendments.of_pod(pod, now=NOW + timedelta(seconds=after))]


def test_what_was_reported_may_be_amended_for_half_a_minute() -> None:
    amendments = Amendments(at_most=9)
    amendments.add(case("e"), GIVEN, now=NOW)

    assert (ids(amendments, after=29.9), ids(amendments, after=30), ids(amendments, pod="other")) == (["e"], [], [])


def test_it_is_amended_once() -> None:
    amendments = Amendments(at_most=9)
    amendments.add(case("e"), GIVEN, now=NOW)
    (reported,) = amendments.of_pod("u", now=NOW)

    amendments.amended(reported)
    amendments.amended(reported)

    assert (ids(amendments), len(amendments)) == ([], 0)


@pytest.mark.parametrize("at_most", [0, 1, 2])
def test_the_oldest_give_way(at_most: int) -> None:
    amendments = Amendments(at_most=at_most)
    for event_id in ("e1", "e2", "e3"):
        amendments.add(case(event_id), GIVEN, now=NOW)

    assert ids(amendments) == ["e1", "e2", "e3"][3 - at_most :]


def test_what_is_too_old_is_forgotten_when_something_new_comes() -> None:
    amendments = Amendments(at_most=9)
    amendments.add(case("old"), GIVEN, now=NOW)
    amendments.add(case("new", pod="v"), GIVEN, now=NOW + timedelta(seconds=31))

    assert len(amendments) == 1


def test_a_restart_in_place_is_evidence_itself() -> None:
    amendments = Amendments(at_most=9)
    amendments.add(case("e", occurrence=Occurrence.CONTAINER_RESTARTED), GIVEN, now=NOW)

    assert len(amendments) == 0
