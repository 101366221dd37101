"""What is kept of heartbeats."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs
from structlog.testing import capture_logs

from agent.broker.connect import connect
from agent.broker.consume.consumer import TransientError
from agent.broker.port import Delivery, Message, SubscriptionKind
from agent.broker.topics import HEARTBEATS, heartbeat_topic
from agent.core.heartbeat import Heartbeat
from agent.scheduler.schedule.heartbeats import HEARTBEAT_SUBSCRIPTION, Heartbeats, heartbeat_topics_of
from agent.store import clusters
from agent.store.store import Store
from agent.wire import heartbeat as wire
from tests.core.lifecycle.made import T0
from tests.scheduler.path import delivery
from tests.scheduler.runs import OFFER, heartbeat
from tests.store.databases import new_store


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


def sent(beat: Heartbeat, *, ago: float = 0) -> Delivery:
    told = delivery(Message(key=beat.cluster_id, payload=wire.encode(beat)))
    return replace(told, published_at=T0 - timedelta(seconds=ago))


def handle(store: Store, *deliveries: Delivery) -> None:
    Heartbeats(store, clock=lambda _: T0).handle(deliveries)


def known(store: Store) -> dict[str, tuple[int | None, datetime]]:
    with store.read() as connection:
        return {
            cluster.name: (None if cluster.runs is None else cluster.runs.max_runs, cluster.received_at)
            for cluster in clusters.everything(connection)
        }


def test_the_latest_of_each_cluster_counts(file_store: Store) -> None:
    full = structs.replace(OFFER, max_runs=0)
    handle(file_store, sent(heartbeat()), sent(heartbeat("west", runs=None)), sent(heartbeat(runs=full)))

    assert known(file_store) == {"east": (0, T0), "west": (None, T0)}


def test_each_cluster_has_its_topic_and_earlier_agents_one(file_store: Store, tmp_path: Path) -> None:
    with closing(connect(f"sqlite:///{tmp_path}/log")) as broker:
        topics = [heartbeat_topic("east"), HEARTBEATS]
        for topic, cluster in zip(topics, ("east", "west"), strict=True):
            producer = broker.producer(topic, name=cluster)
            producer.send(sent(heartbeat(cluster)).message, sequence_id=1, done=lambda _: None)
            producer.flush(60)
        for other in ("run-events-east", f"{topics[0]}-{HEARTBEAT_SUBSCRIPTION}-dlq"):
            broker.ensure_subscription(other, "s")
        found = heartbeat_topics_of(broker)
        subscription = broker.subscribe(found, name="s", kind=SubscriptionKind.FAILOVER, consumer="c")
        handle(file_store, *subscription.receive(at_most=9, timeout=60))

    assert sorted(found) == sorted(topics)
    assert known(file_store).keys() == {"east", "west"}


def test_one_that_waited_in_the_broker_counts_from_then(file_store: Store) -> None:
    handle(file_store, sent(heartbeat(), ago=3600))

    assert known(file_store) == {"east": (100, T0 - timedelta(hours=1))}


def test_a_broker_whose_clock_is_ahead_makes_no_cluster_fresher(file_store: Store) -> None:
    handle(file_store, sent(heartbeat(), ago=-3600))

    assert known(file_store) == {"east": (100, T0)}


def test_one_that_cannot_be_read_is_left_out(file_store: Store) -> None:
    with capture_logs() as logged:
        handle(file_store, delivery(Message(key="k", payload=b"\xff")), sent(heartbeat()))

    assert known(file_store) == {"east": (100, T0)}
    assert [line["event"] for line in logged] == ["a heartbeat cannot be read; the next one is waited for"]


def test_a_store_that_is_unavailable_is_waited_for(tmp_path: Path) -> None:
    with Store.open(new_store(tmp_path)) as store:
        (tmp_path / "store.db").unlink()
        with pytest.raises(TransientError, match="the store does not answer"):
            handle(store, sent(heartbeat()))
