"""Series and tops, from the rollups of a few runs."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agent.core.run_event import RunPhase
from agent.lookout.query import tops
from agent.lookout.query.reader import Reader, Reading
from agent.lookout.query.refusal import Refused
from agent.lookout.query.series import read_series_question, series
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.store.databases import rolled_back
from tests.store.events import START, event, failed

NOW = START + timedelta(days=2)
HOUR = 3600
SENT = (
    event("e1", failed(origin="user"), run="r1", job="j1"),
    event("e2", failed(origin="infra", categories=["gpu"]), run="r2", job="j1", after=HOUR),
    event("e3", failed(origin="infra", categories=["gpu"]), run="r3", job="j1", after=11 * HOUR),
    event("e4", failed(origin="infra", categories=["gpu"]), run="r4", job="j2", after=11 * HOUR),
    event("e5", RunPhase.SUCCEEDED, run="r5", job="j2", after=13 * HOUR),
)
"""START is noon in UTC, so that ``e3`` and ``e4`` are the next day in Berlin, and ``e5`` everywhere."""


@pytest.fixture
def filled(database: Store) -> Store:
    with database.write() as connection:
        record(connection, SENT)
    return database


def drawn(store: Store, query: str) -> Any:  # noqa: ANN401 - as JSON has it
    with Reader(store).reading(EVERYTHING) as reading:
        return series(reading, read_series_question(parse_qsl(query), now=NOW))


def listed(store: Store, name: str, query: str = "") -> Any:  # noqa: ANN401 - as JSON has it
    read, find = {
        "node": (tops.read_node_question, tops.worst_nodes),
        "queue": (tops.read_queue_question, tops.worst_queues),
        "category": (tops.read_category_question, tops.top_categories),
    }[name]
    with Reader(store).reading(EVERYTHING) as reading:
        return find(reading, read(parse_qsl(query), now=NOW))


def failures(line: dict[str, Any]) -> list[int]:
    return [point["failures"] for point in line["points"]]


def test_each_hour_has_its_point_whether_runs_ended_or_not(filled: Store) -> None:
    found = drawn(filled, "by=origin&since=2026-11-21T11:30:00Z&until=2026-11-21T14:00:00Z")

    assert [(line["value"], failures(line)) for line in found["lines"]] == [("infra", [0, 0, 1]), ("user", [0, 1, 0])]
    assert found["since"] == START - timedelta(hours=1)


@pytest.mark.parametrize(("zone", "first", "by_day"), [("UTC", 0, [4, 0, 0]), ("Europe/Berlin", -1, [2, 2, 0])])
def test_days_begin_at_midnight_in_the_zone(filled: Store, zone: str, first: int, by_day: list[int]) -> None:
    found = drawn(filled, f"step=day&zone={zone}&since=46h")

    (line,) = found["lines"]
    assert failures(line) == by_day
    assert found["since"] == datetime(2026, 11, 21, tzinfo=UTC) + timedelta(hours=first)


def test_a_day_of_25_hours_is_one_point(database: Store) -> None:
    found = drawn(database, "step=day&zone=Europe/Berlin&since=2026-10-24T12:00:00Z&until=2026-10-26T12:00:00Z")

    assert (found["lines"], len(found["others"]["points"])) == ([], 3)
    ends = [point["at"] for point in found["others"]["points"]]
    assert [end.hour for end in ends] == [22, 22, 23]


@pytest.mark.parametrize("query", ["zone=Mars", "step=week", "by=node", "since=beginning", "node=x"])
def test_what_rollups_do_not_know_is_refused(database: Store, query: str) -> None:
    with pytest.raises(Refused, match=query.partition("=")[0]):
        drawn(database, query)


def test_nodes_with_few_runs_are_not_compared(filled: Store) -> None:
    assert listed(filled, "node")["tooFew"] == 1
    (worst,) = listed(filled, "node", "leastRuns=5")["items"]

    assert (worst["cluster"], worst["value"], worst["failures"], worst["runs"]) == ("east", "node-1", 4, 5)
    assert worst["rate"] == 0.8
    assert 0.37 < worst["atLeast"] < 0.38


def test_categories_have_their_share_of_all_failures(filled: Store) -> None:
    found = listed(filled, "category", "queue=ml")["items"]

    assert [(top["value"], top["failures"], top["share"]) for top in found] == [("gpu", 3, 0.75), ("oom", 1, 0.25)]


@pytest.mark.parametrize("since", ["7d", "beginning"])
def test_a_category_says_whose_fault_its_failures_were(filled: Store, since: str) -> None:
    with filled.write() as connection:
        record(connection, [event("e6", failed(origin="user", categories=["gpu"]), run="r6", job="j3")])
    found = listed(filled, "category", f"since={since}")["items"]

    assert [(top["value"], top["failures"], dict(top["origins"])) for top in found] == [
        ("gpu", 4, {"infra": 3, "user": 1}),
        ("oom", 1, {"user": 1}),
    ]


@pytest.mark.parametrize("since", ["7d", "beginning"])
def test_hours_and_days_count_the_same(filled: Store, since: str) -> None:
    (queue,) = listed(filled, "queue", f"leastRuns=1&since={since}")["items"]

    assert (queue["value"], queue["runs"], queue["failures"]) == ("ml", 5, 4)


def test_a_line_counts_what_its_points_show_where_days_begin_within_an_hour(filled: Store) -> None:
    """In India days begin at 18:30 in UTC: the hour before belongs to the day before, of which nothing is asked."""
    with filled.write() as connection:
        record(connection, [event("e6", failed(), run="r6", job="j3", after=6 * HOUR)])
    found = drawn(filled, "step=day&zone=Asia/Kolkata&since=2026-11-21T19:00:00Z&until=2026-11-22T18:30:00Z")
    (line,) = found["lines"]

    assert found["since"] == datetime(2026, 11, 21, 18, 30, tzinfo=UTC)
    assert line["failures"] == sum(failures(line)) == 2
    assert line["runs"] == 3


ZONES = ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/Los_Angeles", "Pacific/Auckland", "Pacific/Kiritimati")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(zone="America/Los_Angeles", since=44, length=1, ended=[(36, "infra")])  # the day in UTC has it, this one not
@given(
    zone=st.sampled_from(ZONES),
    since=st.integers(0, 60),
    length=st.integers(1, 80),
    ended=st.lists(st.tuples(st.integers(-30, 150), st.sampled_from(["infra", "user"])), max_size=12),
)
def test_days_in_a_zone_have_all_hours_of_it(
    database: Store, zone: str, since: int, length: int, ended: list[tuple[int, str]]
) -> None:
    """START is in a week in which clocks do not change; Berlin's change in October is tried above."""
    window = (START + timedelta(hours=since), START + timedelta(hours=since + length))
    asked = {
        "step": "day",
        "zone": zone,
        "by": "origin",
        "since": window[0].isoformat(),
        "until": window[1].isoformat(),
    }
    sent = [
        event(f"e{place}", failed(origin=origin), run=f"r{place}", job="j", after=hour * HOUR)
        for place, (hour, origin) in enumerate(ended)
    ]
    with rolled_back(database) as connection:
        record(connection, sent)
        found = series(Reading(connection, EVERYTHING, 10), read_series_question([*asked.items()], now=window[1]))

    days = Counter(
        (origin, (START + timedelta(hours=hour)).astimezone(ZoneInfo(zone)).date()) for hour, origin in ended
    )
    for line in found["lines"]:
        for point in line["points"]:
            assert point["failures"] == days[line["value"], point["at"].astimezone(ZoneInfo(zone)).date()]
    drawn = {origin for origin, day in days if found["since"] <= _midnight(day, zone) < found["until"]}
    assert {line["value"] for line in found["lines"]} == drawn


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), tzinfo=ZoneInfo(zone))
