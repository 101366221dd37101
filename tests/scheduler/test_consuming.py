"""The scheduler on the event log: at least once delivered, exactly once decided."""

from pathlib import Path

import pytest

from agent.broker.port import Message, SubscriptionKind, dead_letter_topic
from agent.scheduler.consume import SUBSCRIPTION, Decisions, topics_of
from agent.store.store import Store
from agent.wire.events import decode
from tests.scheduler.path import TOPIC, Place, deciding, message, now, publish, verdicts_of, wait_until
from tests.store.events import event, failed

pytestmark = pytest.mark.slow

REFUSE = """
CREATE TRIGGER refuse BEFORE INSERT ON failure WHEN NEW.run_id = 'run-13'
BEGIN SELECT RAISE(ABORT, 'refused'); END
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def failures(count: int, *, first: int = 0) -> list[Message]:
    return [
        message(event(f"e{number}", failed(), run=f"run-{number}", job=f"job-{number % 7}"))
        for number in range(first, first + count)
    ]


def test_what_is_published_is_decided_once_although_it_comes_twice(place: Place) -> None:
    log = place.open_log()
    publish(log, failures(40) + failures(40))
    with Store.open(place.store_url) as store, place.scheduler():
        wait_until(lambda: len(verdicts_of(store)) == 40)
        publish(log, failures(1, first=40))
        wait_until(lambda: len(verdicts_of(store)) == 41)
        assert list(verdicts_of(store).values()).count("retry") == 7 * 3
    log.close()


def test_topics_of_clusters_that_come_later_are_found(place: Place) -> None:
    log = place.open_log()
    with Store.open(place.store_url) as store, place.scheduler():
        publish(log, failures(1), topic="run-events-east")
        wait_until(lambda: len(verdicts_of(store)) == 1)
        publish(log, failures(1, first=1), topic="run-events-west")
        wait_until(lambda: len(verdicts_of(store)) == 2)
    log.close()


def test_a_crash_between_commit_and_ack_decides_nothing_twice(place: Place) -> None:
    log = place.open_log()
    publish(log, failures(5))
    with Store.open(place.store_url) as store:
        crashed = place.open_log()
        subscription = crashed.subscribe(
            [TOPIC], name=SUBSCRIPTION, kind=SubscriptionKind.KEY_SHARED, consumer="crashed"
        )
        received = subscription.receive(at_most=5, timeout=5.0)
        Decisions(store, deciding=deciding(), clock=now).handle(received)
        before = verdicts_of(store)
        crashed.close()

        with place.scheduler():
            publish(log, failures(1, first=5))
            wait_until(lambda: len(verdicts_of(store)) == 6)
            assert len(received) == 5
            assert {run: action for run, action in verdicts_of(store).items() if run in before} == before
    log.close()


def test_a_poison_message_goes_to_the_dead_letters_and_holds_nobody_back(place: Place) -> None:
    log = place.open_log()
    publish(log, [*failures(10), Message(key="job-1", payload=b"not a run event"), *failures(10, first=10)])
    with Store.open(place.store_url) as store, place.scheduler():
        wait_until(lambda: len(verdicts_of(store)) == 20)
        dead = dead_letter_topic(TOPIC, SUBSCRIPTION)
        wait_until(lambda: dead in log.topics(""))

        buried = log.subscribe([dead], name="reader", kind=SubscriptionKind.FAILOVER, consumer="r")
        (letter,) = buried.receive(at_most=10, timeout=5.0)
        assert letter.message.payload == b"not a run event"
        assert dead not in topics_of(log)
    log.close()


def test_a_row_that_the_database_refuses_is_found_and_buried(place: Place) -> None:
    log = place.open_log()
    publish(log, failures(30))
    with Store.open(place.store_url) as store:
        with store.write() as connection:
            connection.exec_driver_sql(REFUSE)
        with place.scheduler():
            wait_until(lambda: dead_letter_topic(TOPIC, SUBSCRIPTION) in log.topics(""))
            wait_until(lambda: len(verdicts_of(store)) == 29)

        dead = log.subscribe(
            [dead_letter_topic(TOPIC, SUBSCRIPTION)], name="reader", kind=SubscriptionKind.FAILOVER, consumer="r"
        )
        (letter,) = dead.receive(at_most=10, timeout=5.0)
        assert decode(letter.message.payload).identity.run_id == "run-13"
        assert "run-13" not in verdicts_of(store)
    log.close()


def test_two_schedulers_at_once_make_one_verdict_for_each_run(place: Place) -> None:
    log = place.open_log()
    with Store.open(place.store_url) as store, place.scheduler("one"), place.scheduler("two"):
        for start in range(0, 200, 20):
            publish(log, failures(20, first=start) + failures(20, first=start))
        wait_until(lambda: len(verdicts_of(store)) == 200)
        assert list(verdicts_of(store).values()).count("retry") == 7 * 3
    log.close()
