"""Reports that are held until their pod is removed."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.cluster.spool.entries import Dropped, Forgotten, Held, Known, Released, Replaced, Report, SpoolEntry
from agent.cluster.spool.spool import Spool

NOW = datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=UTC)


def open_spool(directory: Path) -> Spool:
    return Spool.open(directory / "spool.db", cluster="east", max_bytes=1 << 30, keep_acknowledged=100)


def report(event_id: str, *, payload: bytes = b"why") -> Report:
    properties = {"event_id": event_id}
    return Report(event_id=event_id, pod_uid="pod", key="job", payload=payload, properties=properties, event_time=NOW)


@pytest.fixture(name="spool")
def an_open_spool(tmp_path: Path) -> Iterator[Spool]:
    spool = open_spool(tmp_path)
    yield spool
    spool.close()


def waiting(spool: Spool) -> list[tuple[str, bytes]]:
    rows = spool.unacknowledged(after=0, at_most=100)
    return [(row.properties["event_id"], row.payload) for row in rows]


def test_what_is_held_is_known_and_not_published(spool: Spool) -> None:
    assert spool.commit([Held(report=report("e")), Held(report=report("e"))], now=NOW) == {"e"}

    assert waiting(spool) == []
    assert spool.held("e") == b"why"
    assert spool.reported() == {"pod": frozenset({"e"})}
    assert spool.settled(["pod", "other"]) == {"other"}
    assert spool.commit([report("e")], now=NOW) == frozenset()


def test_what_is_released_is_published_as_it_was_held(spool: Spool) -> None:
    spool.commit([Held(report=report("e"))], now=NOW)
    spool.commit([Released(event_id="e"), Released(event_id="e")], now=NOW)

    (row,) = spool.unacknowledged(after=0, at_most=100)
    assert (row.key, row.payload, row.properties, row.event_time) == ("job", b"why", {"event_id": "e"}, NOW)
    assert spool.held("e") is None
    assert spool.settled(["pod"]) == frozenset()
    spool.acknowledge([row.sequence])
    assert spool.settled(["pod"]) == {"pod"}


@pytest.mark.parametrize("event_id", ["e", "stuck"])
def test_what_is_replaced_is_published_instead(spool: Spool, event_id: str) -> None:
    instead = Replaced(event_id="e", report=report(event_id, payload=b"stuck"))
    spool.commit([Held(report=report("e")), instead, instead], now=NOW)
    spool.commit([Released(event_id="e")], now=NOW)

    assert waiting(spool) == [(event_id, b"stuck")]
    assert spool.reported()["pod"] == {"e", event_id}


def test_what_is_dropped_may_happen_again(spool: Spool) -> None:
    spool.commit([Held(report=report("e")), Dropped(event_id="e")], now=NOW)

    assert spool.held("e") is None
    assert not spool.reported()
    assert spool.settled(["pod"]) == {"pod"}
    assert spool.commit([report("e")], now=NOW) == {"e"}


def test_a_pod_that_is_forgotten_holds_nothing_back(spool: Spool) -> None:
    entries: list[SpoolEntry] = [Known(uid="pod", entry=b"x"), Held(report=report("e")), Forgotten(uid="pod")]
    spool.commit(entries, now=NOW)

    assert waiting(spool) == [("e", b"why")]
    assert (spool.known(), spool.reported()) == ([], {})


def test_what_is_held_outlives_the_process(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    spool.commit([Held(report=report("e"))], now=NOW)
    spool.close()
    spool = open_spool(tmp_path)

    assert spool.held("e") == b"why"
    spool.close()


def test_a_spool_of_the_first_version_is_taken_over(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    spool.commit([report("e")], now=NOW)
    spool.close()
    old = sqlite3.connect(tmp_path / "spool.db")
    old.executescript("DROP TABLE held; DROP TABLE shelf; PRAGMA user_version = 1;")
    old.close()
    spool = open_spool(tmp_path)

    spool.commit([Held(report=report("later"))], now=NOW)
    assert (waiting(spool), spool.held("later")) == ([("e", b"why")], b"why")
    spool.close()
