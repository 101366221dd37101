"""Whatever was lost is stored again from the topics, equal to what was there; what was there does not change."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from agent.api.v1 import events_pb2
from agent.broker.eventlog import EventLog
from agent.broker.port import Broker, Delivery, Message
from agent.broker.topics import replay_topic
from agent.core.run_event import RunPhase
from agent.lookout.store import horizon, rollups
from agent.lookout.store.entries import Entry
from agent.lookout.store.opening import open_store
from agent.lookout.store.tables import failure_table, log_table, metadata, run_category_table, run_table
from agent.lookout.upkeep.replay import Replay, TransientError, history
from agent.store.store import Store
from agent.wire import events
from tests.lookout.ingest.test_messages import LATER
from tests.lookout.process import rows
from tests.lookout.store.databases import contents, new_database
from tests.lookout.store.drawn import messages
from tests.lookout.upkeep import published
from tests.lookout.upkeep.published import DAY, publish_all
from tests.scheduler.path import TOPIC, publish
from tests.store.events import START, event, failed

OF_A_RUN = (run_table, run_category_table, failure_table)
KEPT = frozenset({"horizon", "attempt", "correction"})
"""The tables that say what no message says."""
LAW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    with closing(EventLog.open(f"{tmp_path}/log.db")) as opened:
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(new_database(tmp_path)) as opened:
        yield opened


def replayed(store: Store, broker: Broker, *, since: datetime | None = None) -> Replay:
    """One that ran to its end, and left out nothing."""
    run = Replay(store=store, left_out=refuse)
    for _ in run.run(broker, since=since):
        pass
    return run


def refuse(delivery: Delivery, why: str) -> None:
    raise AssertionError(f"{delivery.topic} {delivery.position}: {why}")


def empty(connection: Connection) -> None:
    """Delete all rows that messages gave."""
    for table in metadata.sorted_tables:
        if table.name not in KEPT:
            connection.execute(table.delete())


def delete_runs(connection: Connection, run_ids: list[str]) -> None:
    """Delete runs with all that is about them, and not what they counted."""
    for table in OF_A_RUN:
        connection.execute(table.delete().where(table.c.run_id.in_(run_ids)))
    connection.execute(
        log_table.delete().where(
            log_table.c.event_id.not_in(failure_table.select().with_only_columns(failure_table.c.event_id))
        )
    )


def test_an_emptied_database_is_as_it_was(log: EventLog, store: Store) -> None:
    publish_all(log, published.history(20))
    first = replayed(store, log)
    before = rows(store)
    assert {name for name, found in before.items() if not found} == {*KEPT} - {"attempt"}

    with store.write() as connection:
        empty(connection)
    again = replayed(store, log)

    assert rows(store) == before
    assert first.messages == again.messages == 122
    assert (again.changed, again.recounted, again.unreadable, again.newer, again.too_old) == (0,) * 5


def test_a_full_database_does_not_change(log: EventLog, store: Store) -> None:
    publish_all(log, published.history(20))
    replayed(store, log)
    before = rows(store)

    again = replayed(store, log)

    assert rows(store) == before
    assert (again.messages, again.changed, again.recounted) == (122, 0, 0)


@LAW
@given(data=st.data(), sent=messages())
def test_what_was_deleted_is_stored_and_counted_again(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, sent: list[Entry]
) -> None:
    folder = tmp_path_factory.mktemp("law")
    with closing(EventLog.open(f"{folder}/log.db")) as log, open_store(new_database(folder)) as store:
        publish_all(log, data.draw(st.permutations(sent)))
        replayed(store, log)
        with store.write() as connection:
            before = contents(connection)
            delete_runs(connection, data.draw(st.lists(st.sampled_from(["r0", "r1", "r2"]))))
            for table in data.draw(
                st.lists(st.sampled_from(["job", "retry_decision", "job_request", "cluster", "rule"]))
            ):
                connection.execute(metadata.tables[table].delete())

        replayed(store, log)

        with store.read() as connection:
            assert contents(connection) == before
            assert rollups.differences(connection) == []


def test_what_was_changed_is_as_the_messages_say_and_counted(log: EventLog, store: Store) -> None:
    publish_all(log, published.history(3))
    replayed(store, log)
    before = rows(store)
    with store.write() as connection:
        connection.execute(run_table.update().values(running_at=None))

    again = replayed(store, log)

    assert rows(store) == before
    assert again.changed == 3


def test_only_what_was_published_from_a_time_on_is_stored(tmp_path: Path, store: Store) -> None:
    now = START
    with closing(EventLog.open(f"{tmp_path}/log.db", clock=lambda: now)) as log:
        for hours in range(3):
            now = START + timedelta(hours=hours)
            publish(log, [Message(key="k", payload=events.encode(event(f"e{hours}", failed(), run=f"run-{hours}")))])

        run = replayed(store, log, since=START + timedelta(minutes=1))

    assert (run.messages, run.first, run.reached) == (2, START + timedelta(hours=1), START + timedelta(hours=2))
    assert sorted(row[0] for row in rows(store)["job_run"]) == ["run-1", "run-2"]


def test_topics_are_read_together_in_the_order_of_publication(tmp_path: Path) -> None:
    now = START
    with closing(EventLog.open(f"{tmp_path}/log.db", clock=lambda: now)) as log:
        for minute in range(6):
            now = START + timedelta(minutes=minute)
            publish(log, [Message(key="k", payload=b"x")], topic=f"run-events-{minute % 3}")
        now = START + timedelta(hours=1)
        publish(log, [Message(key="k", payload=b"x")], topic=replay_topic("run-events-0", "lookout"))
        publish(log, [Message(key="k", payload=b"x")], topic=replay_topic("run-events-0", "scheduler"))

        with history(log, since=None) as found:
            read = [(delivery.topic, delivery.published_at) for delivery in found]

    assert [topic for topic, _ in read[:6]] == [f"run-events-{minute % 3}" for minute in range(6)]
    assert [topic for topic, _ in read[6:]] == [replay_topic("run-events-0", "lookout")]
    assert [at for _, at in read] == sorted(at for _, at in read)


def test_what_cannot_be_stored_is_said_and_counted_and_put_nowhere(log: EventLog, store: Store) -> None:
    told = [
        Message(key="k", payload=events.encode(event(f"e{number}", failed(), run=f"run-{number}")))
        for number in range(9)
    ]
    newer = events_pb2.RunEvent.FromString(told[0].payload)
    newer.ClearField("failure")
    newer.event_id = "later"
    later = Message(key="k", payload=newer.SerializeToString() + LATER)
    publish(log, [*told[:4], Message(key="k", payload=b"poison"), later, *told[4:], Message(key="k", payload=b"")])
    topics = log.topics("")
    said: list[tuple[bytes, str]] = []

    run = Replay(store=store, left_out=lambda delivery, why: said.append((delivery.message.payload, why)))
    assert len(list(run.run(log, since=None))) == 1

    assert (run.messages, run.unreadable, run.newer) == (12, 2, 1)
    assert [payload for payload, _ in said] == [b"poison", b""]
    assert all("not a run-event" in why for _, why in said)
    assert len(rows(store)["job_run"]) == 9
    assert log.topics("") == topics


@pytest.mark.parametrize("batch", [1, 500])
def test_what_was_pruned_stays_pruned_and_what_was_kept_is_whole(
    log: EventLog, store: Store, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr("agent.lookout.upkeep.replay._BATCH", batch)
    # What began before the horizon and ended after it was kept with all that is known of it.
    late = event("l2", failed(), run="late", job="late", after=DAY)
    early = event("l1", RunPhase.RUNNING, run="late", job="late", after=DAY / 2 - 3600)
    old = event("o1", failed(), run="old", job="old")
    publish_all(log, [early, old, late])
    replayed(store, log)
    with store.write() as connection:
        horizon.move(connection, START + timedelta(days=1))
        delete_runs(connection, ["old"])
        connection.execute(metadata.tables["job"].delete().where(metadata.tables["job"].c.job_id == "old"))
    before = rows(store)
    counted = before["rollup_hour"], before["rollup_node_day"]
    assert [sum(row[-2] for row in found) for found in counted] == [2, 2]

    again = replayed(store, log)
    assert (rows(store), again.too_old, again.changed) == (before, 1, 0)

    with store.write() as connection:
        for table in metadata.sorted_tables:
            if table.name not in {*KEPT, "rollup_hour", "rollup_day", "rollup_node_day"}:
                connection.execute(table.delete())
    again = replayed(store, log)
    assert (rows(store), again.too_old) == (before, 1)


def test_nothing_of_it_is_in_the_log(log: EventLog, store: Store, tmp_path: Path) -> None:
    publish_all(log, published.history(200))
    log.ensure_subscription(TOPIC, "lookout")
    state = (
        "SELECT (SELECT count(*) FROM pending), (SELECT count(*) FROM consumer), (SELECT count(*) FROM subscription)"
    )
    with closing(sqlite3.connect(f"{tmp_path}/log.db")) as watching:
        before = watching.execute(state).fetchone()
        run = Replay(store=store, left_out=refuse)
        steps = run.run(log, since=None)
        next(steps)
        during = watching.execute(state).fetchone()
        # Another one deletes messages under it, as the event log does with what nobody needs.
        watching.execute("DELETE FROM pending")
        watching.execute("DELETE FROM message WHERE id > 700")
        watching.commit()
        list(steps)

        assert before == during
        assert run.messages < 1202
        assert len(rows(store)["job_run"]) > 0


def test_a_database_that_goes_away_ends_it_and_another_one_ends_what_it_began(
    log: EventLog, store: Store, tmp_path: Path
) -> None:
    publish_all(log, published.history(200))
    run = Replay(store=store, left_out=refuse)
    steps = run.run(log, since=None)
    next(steps)
    (tmp_path / "lookout.db").rename(tmp_path / "moved.db")
    with pytest.raises(TransientError, match="was deleted or moved"):
        next(steps)
    (tmp_path / "moved.db").rename(tmp_path / "lookout.db")
    assert run.reached is not None

    replayed(store, log, since=run.reached)

    after = rows(store)
    assert len(after["job_run"]) == 200
    replayed(store, log)
    assert rows(store) == after
