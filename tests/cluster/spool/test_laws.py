"""Whatever happens between and inside transactions: one outbox row an event, and no number twice."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agent.cluster.spool.entries import Forgotten, Known, Report
from agent.cluster.spool.spool import Spool

NOW = datetime(2026, 11, 21, tzinfo=UTC)

PODS = st.integers(0, 3).map(lambda number: f"pod-{number}")


def report(pod: str, occurrence: int) -> Report:
    event_id = f"{pod}/{occurrence}"
    return Report(
        event_id=event_id, pod_uid=pod, key=pod, payload=b"x", properties={"event_id": event_id}, event_time=NOW
    )


REPORTS = st.builds(report, PODS, st.integers(0, 3))
ENTRIES = st.lists(st.one_of(REPORTS, st.builds(Known, uid=PODS, entry=st.binary(max_size=3))), max_size=6)


@contextmanager
def interrupted_after(spool: Spool, steps: int) -> Iterator[None]:
    """Break the SQLite program that runs after so many of its steps, wherever that is."""
    left = steps

    def count_down() -> int:
        nonlocal left
        left -= 1
        return int(left < 0)

    spool._connection.set_progress_handler(count_down, 1)
    try:
        yield
    except sqlite3.OperationalError as error:
        assert "interrupted" in str(error)  # noqa: PT017 - anything else is a finding
    finally:
        spool._connection.set_progress_handler(None, 0)


class SpoolLaws(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.spool = self.opened()
        self.events: set[str] = set()
        self.broker: list[str] = []
        self.numbers: dict[tuple[str, int], str] = {}
        self.renumberings = 0

    def opened(self) -> Spool:
        path = Path(self.directory.name) / "spool.db"
        return Spool.open(path, cluster="east", max_bytes=1 << 30, keep_acknowledged=1)

    def teardown(self) -> None:
        self.spool.close()
        self.directory.cleanup()

    @rule(entries=ENTRIES)
    def commit(self, entries: list[Report | Known]) -> None:
        new = self.spool.commit(entries, now=NOW)

        reported = {entry.event_id for entry in entries if isinstance(entry, Report)}
        assert new == reported - self.events
        self.events |= reported

    @rule(entries=ENTRIES, steps=st.integers(0, 400))
    def commit_and_die(self, entries: list[Report | Known], steps: int) -> None:
        reported = {entry.event_id for entry in entries if isinstance(entry, Report)}
        known = {known.uid: known.entry for known in self.spool.known()}
        last = {entry.uid: entry.entry for entry in entries if isinstance(entry, Known)}
        with interrupted_after(self.spool, steps):
            self.spool.commit(entries, now=NOW)
        self.restart()
        reported = {event for events in self.spool.reported().values() for event in events}
        found = (reported, {known.uid: known.entry for known in self.spool.known()})
        assert found in ((self.events, known), (self.events | reported, known | last))
        self.events = reported

    @rule(at_most=st.integers(1, 5))
    def publish(self, at_most: int) -> None:
        rows = self.spool.unacknowledged(after=0, at_most=at_most)
        self.broker.extend(row.properties["event_id"] for row in rows)
        self.spool.acknowledge([row.sequence for row in rows])

    @rule(at_most=st.integers(1, 5))
    def publish_and_die_before_the_acknowledgement_is_written(self, at_most: int) -> None:
        rows = self.spool.unacknowledged(after=0, at_most=at_most)
        with interrupted_after(self.spool, 3):
            self.spool.acknowledge([row.sequence for row in rows])
        self.restart()
        waiting = {row.sequence for row in self.spool.unacknowledged(after=0, at_most=1000)}
        gone = [row for row in rows if row.sequence not in waiting]
        assert gone in ([], list(rows))
        self.broker.extend(row.properties["event_id"] for row in gone)

    @rule()
    def renumber(self) -> None:
        self.renumberings += 1
        self.spool.renumber(f"numbering-{self.renumberings}")

    @rule(pod=PODS)
    def forget(self, pod: str) -> None:
        if pod in self.spool.settled([pod]) and self.spool.reported().get(pod):
            self.spool.commit([Forgotten(uid=pod)], now=NOW)
            self.events = {event for event in self.events if not event.startswith(pod + "/")}
            self.broker = [event for event in self.broker if not event.startswith(pod + "/")]
            if self.spool.state().waiting == 0:
                self.spool.renumber(f"emptied-{pod}-{len(self.numbers)}-{self.renumberings}")

    @rule()
    def restart(self) -> None:
        self.spool.close()
        self.spool = self.opened()

    @invariant()
    def every_event_is_waiting_or_with_the_broker_and_only_once(self) -> None:
        waiting = [row.properties["event_id"] for row in self.spool.unacknowledged(after=0, at_most=1000)]

        assert sorted(waiting + self.broker) == sorted(self.events)

    @invariant()
    def a_number_names_one_event_for_ever(self) -> None:
        numbering = self.spool.spool_id()
        for row in self.spool.unacknowledged(after=0, at_most=1000):
            event = row.properties["event_id"]
            assert self.numbers.setdefault((numbering, row.sequence), event) == event

    @invariant()
    def a_pod_is_settled_when_nothing_of_it_waits(self) -> None:
        waiting = {row.key for row in self.spool.unacknowledged(after=0, at_most=1000)}
        pods = {f"pod-{number}" for number in range(4)}

        assert self.spool.settled(pods) == pods - waiting


TestSpoolLaws = pytest.mark.slow(SpoolLaws.TestCase)
TestSpoolLaws.settings = settings(max_examples=30, stateful_step_count=25)
