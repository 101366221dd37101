"""The scheduler on each broker and each store: at least once delivered, exactly once decided."""

import io
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from agent.broker.port import Broker, Busy, Delivery, Message, SubscriptionKind
from agent.broker.topics import dead_letter_topic
from agent.console.exits import Exit
from agent.ctl.broker.connect import BrokerAddress
from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, replay_dead_letters
from agent.scheduler.consume.handler import SUBSCRIPTION, Decisions, topics_of
from agent.store.store import Store
from agent.wire.events import decode
from tests.broker.contract import take
from tests.scheduler.path import QUICK, TOPIC, Place, decision_inputs, message, now, publish, verdicts_of, wait_until
from tests.store.events import event, failed

pytestmark = pytest.mark.slow

REFUSE = {
    "sqlite": """
        CREATE TRIGGER refuse BEFORE INSERT ON failure WHEN NEW.run_id = 'run-13'
        BEGIN SELECT RAISE(ABORT, 'refused'); END
    """,
    "postgresql": "ALTER TABLE failure ADD CONSTRAINT refused CHECK (run_id <> 'run-13')",
}
ALLOW = {"sqlite": "DROP TRIGGER refuse", "postgresql": "ALTER TABLE failure DROP CONSTRAINT refused"}
SLOW = 14
"""So many messages take a slow consumer longer than its lease."""

SERVERS = pytest.param("servers", marks=pytest.mark.xdist_group("pulsar"))


@pytest.fixture(params=["files", SERVERS])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Out of the box, and as in production: Pulsar and Postgres."""
    if request.param == "files":
        return Place.in_files(tmp_path)
    namespace = request.getfixturevalue("pulsar_namespace")
    url = f"{namespace.broker.url}/{namespace.name}"
    return Place(broker_url=url, store_url=request.getfixturevalue("postgres_store"))


@pytest.fixture
def log(place: Place) -> Iterator[Broker]:
    with closing(place.open_log()) as opened:
        yield opened


def letters(log: Broker) -> list[Delivery]:
    """The scheduler's dead letters; none while it has them itself, to bury the first."""
    try:
        with closing(log.dead_letters(dead_letter_topic(TOPIC, SUBSCRIPTION))) as found:
            return [one.delivery for one in found.read()]
    except Busy:
        return []


def failures(count: int, *, first: int = 0) -> list[Message]:
    return [
        message(event(f"e{number}", failed(), run=f"run-{number}", job=f"job-{number % 7}"))
        for number in range(first, first + count)
    ]


def test_what_is_published_is_decided_once_although_it_comes_twice(place: Place, log: Broker) -> None:
    publish(log, failures(40) + failures(40))
    with Store.open(place.store_url) as store, place.scheduler():
        wait_until(lambda: len(verdicts_of(store)) == 40)
        publish(log, failures(1, first=40))
        wait_until(lambda: len(verdicts_of(store)) == 41)
        assert list(verdicts_of(store).values()).count("retry") == 7 * 3


def test_topics_of_clusters_that_come_later_are_found(place: Place, log: Broker) -> None:
    with Store.open(place.store_url) as store, place.scheduler():
        publish(log, failures(1), topic="run-events-east")
        wait_until(lambda: len(verdicts_of(store)) == 1)
        publish(log, failures(1, first=1), topic="run-events-west")
        wait_until(lambda: len(verdicts_of(store)) == 2)


def test_a_crash_between_commit_and_ack_decides_nothing_twice(place: Place, log: Broker) -> None:
    publish(log, failures(5))
    with Store.open(place.store_url) as store:
        crashed = place.open_log()
        subscription = crashed.subscribe(
            [TOPIC], name=SUBSCRIPTION, kind=SubscriptionKind.KEY_SHARED, consumer="crashed"
        )
        Decisions(store, inputs=decision_inputs(), clock=lambda _: now()).handle(take(subscription, 5, ack=False))
        before = verdicts_of(store)
        crashed.close()

        with place.scheduler():
            publish(log, failures(1, first=5))
            wait_until(lambda: len(verdicts_of(store)) == 6)
            assert len(before) == 5
            assert {run: action for run, action in verdicts_of(store).items() if run in before} == before


def test_a_poison_message_goes_to_the_dead_letters_and_holds_nobody_back(place: Place, log: Broker) -> None:
    publish(log, [*failures(10), Message(key="job-1", payload=b"not a run event"), *failures(10, first=10)])
    with Store.open(place.store_url) as store, place.scheduler():
        wait_until(lambda: len(verdicts_of(store)) == 20)
        wait_until(lambda: len(letters(log)) == 1)

    assert letters(log)[0].message.payload == b"not a run event"
    assert dead_letter_topic(TOPIC, SUBSCRIPTION) not in topics_of(log)


def test_a_dead_letter_is_decided_once_the_cause_is_fixed(place: Place, log: Broker) -> None:
    publish(log, failures(20))
    with Store.open(place.store_url) as store:
        with store.write() as connection:
            connection.exec_driver_sql(REFUSE[connection.dialect.name])
        with place.scheduler():
            wait_until(lambda: len(letters(log)) == 1)
            with store.write() as connection:
                connection.exec_driver_sql(ALLOW[connection.dialect.name])
            choice = DeadLetterRequest(where=BrokerAddress(url=place.broker_url), choice=Choice(every=True), yes=True)
            replayed = replay_dead_letters(choice, environ={}, out=io.StringIO(), err=io.StringIO())

            wait_until(lambda: "run-13" in verdicts_of(store))
    assert (replayed, letters(log)) == (Exit.FINE, [])


def test_a_row_that_the_database_refuses_is_found_and_buried(place: Place, log: Broker) -> None:
    publish(log, failures(30))
    with Store.open(place.store_url) as store:
        with store.write() as connection:
            connection.exec_driver_sql(REFUSE[connection.dialect.name])
        with place.scheduler():
            wait_until(lambda: len(letters(log)) == 1)
            wait_until(lambda: len(verdicts_of(store)) == 29)

        (letter,) = letters(log)
        assert decode(letter.message.payload).identity.run_id == "run-13"
        assert "run-13" not in verdicts_of(store)


def test_two_schedulers_at_once_make_one_verdict_for_each_run(place: Place, log: Broker) -> None:
    with Store.open(place.store_url) as store, place.scheduler("one"), place.scheduler("two"):
        for start in range(0, 200, 20):
            publish(log, failures(20, first=start) + failures(20, first=start))
        wait_until(lambda: len(verdicts_of(store)) == 200)
        assert list(verdicts_of(store).values()).count("retry") == 7 * 3


def test_a_consumer_slower_than_its_messages_loses_none_and_keeps_their_order(place: Place, log: Broker) -> None:
    """It takes a message at a time, and all of them longer than a lease of the event log lasts."""
    place = replace(place, log_settings=replace(QUICK, lease=timedelta(seconds=2)))
    told = [
        message(event(f"e{number}", failed(), run=f"run-{number}", job=f"job-{number % 2}")) for number in range(SLOW)
    ]
    publish(log, told)
    seen: list[str] = []

    def slowly(deliveries: Sequence[Delivery]) -> None:
        seen.extend(decode(one.message.payload).identity.run_id for one in deliveries)
        time.sleep(0.2)

    with Store.open(place.store_url), place.scheduler(handle=slowly, batch=1):
        wait_until(lambda: len(seen) >= SLOW)
        publish(log, failures(1, first=SLOW))
        wait_until(lambda: len(seen) > SLOW)

    numbers = [int(run.removeprefix("run-")) for run in seen]
    assert sorted(numbers) == [*range(SLOW + 1)]
    for job in range(2):
        own = [number for number in numbers if number % 2 == job and number != SLOW]
        assert own == sorted(own)
