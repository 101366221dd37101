"""The publish protocol on a real Pulsar: killed, cut off, fenced, and with an old spool."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent.backoff import Backoff
from agent.broker.port import Broker, TopicTaken
from agent.broker.publish.publisher import Publisher, PublishLimits
from agent.cluster.spool.entries import Report
from agent.cluster.spool.spool import Spool
from agent.settings.pulsar import PulsarSettings
from tests.broker.publish.test_publisher import running
from tests.broker.pulsar.adapter import opened, stored, url_of
from tests.servers.patience import until
from tests.servers.proxy import Direction, TcpProxy
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import PulsarNamespace

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pulsar")]

NOW = datetime(2026, 11, 22, tzinfo=UTC)
TOPIC = "run-events-c1"
LIMITS = PublishLimits(window=100, stalled=4.0, backoff=Backoff(first=0.05, most=0.5))
QUICK = PulsarSettings(operation_timeout=timedelta(seconds=3))
PATIENCE = 120.0

Make = Callable[..., Publisher]


def open_spool(path: Path) -> Spool:
    return Spool.open(path, cluster="c1", max_bytes=1 << 30, keep_acknowledged=10)


def add(spool: Spool, names: Sequence[object]) -> None:
    reports = [
        Report(
            event_id=f"{name}",
            pod_uid=f"pod-{name}",
            key="job",
            payload=f"{name}".encode(),
            properties={"event_id": f"{name}"},
            event_time=NOW,
        )
        for name in names
    ]
    spool.commit(reports, now=NOW)


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    with closing(open_spool(tmp_path / "spool.db")) as opened_spool:
        yield opened_spool


@pytest.fixture
def broker(pulsar_namespace: PulsarNamespace) -> Iterator[Broker]:
    with opened(url_of(pulsar_namespace), QUICK) as it:
        it.ensure_subscription(TOPIC, "s")
        yield it


def publisher(broker: Broker, spool: Spool, *, exclusive: bool = True) -> Publisher:
    return Publisher(broker, spool, topic=TOPIC, source="agent/c1", exclusive=exclusive, limits=LIMITS)


def is_sent(spool: Spool) -> Callable[[], bool]:
    return lambda: spool.state().waiting == 0


def is_past(spool: Spool, sequence: int) -> Callable[[], bool]:
    return lambda: spool.state().last_acknowledged > sequence


def names(first: int, last: int) -> list[str]:
    return [f"{number}" for number in range(first, last + 1)]


def test_a_broker_killed_twice_in_the_middle_has_everything_once_and_in_order(
    pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace, spool: Spool, broker: Broker
) -> None:
    publishing = publisher(broker, spool)
    with running(publishing):
        for first in (1, 1001):
            add(spool, names(first, first + 999))
            publishing.wake.set()
            until(is_past(spool, first + 50), "under way")
            pulsar.kill()
            add(spool, [f"while away {first}"])
            pulsar.start()
        until(is_sent(spool), "sent", seconds=PATIENCE)

    expected = [*names(1, 1000), "while away 1", *names(1001, 2000), "while away 1001"]
    assert stored(pulsar_namespace, TOPIC, len(expected)) == expected
    assert publishing.state.renumbered == 0


def test_an_old_spool_that_is_restored_is_numbered_anew_and_loses_nothing(
    pulsar_namespace: PulsarNamespace, broker: Broker, tmp_path: Path
) -> None:
    """Sent under the old numbers, what is new would pass for what the broker has, and be dropped without a word."""
    path, copy = tmp_path / "spool.db", tmp_path / "copy.db"
    with closing(open_spool(path)) as spool:
        add(spool, names(1, 10))
        with running(publisher(broker, spool)):
            until(is_sent(spool), "sent")
        add(spool, ["not sent when copied"])
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        add(spool, names(12, 20))
        with running(publisher(broker, spool)):
            until(is_sent(spool), "sent")
        old_id = spool.spool_id()
    for left in path.parent.glob("spool.db*"):
        left.unlink()
    shutil.copy(copy, path)

    with closing(open_spool(path)) as restored:
        add(restored, ["new 1", "new 2"])
        publishing = publisher(broker, restored)
        with running(publishing):
            until(is_sent(restored), "sent")
        assert restored.spool_id() != old_id
    assert publishing.state.renumbered == 1
    assert publishing.state.duplicates == 0

    sent_before = [*names(1, 10), "not sent when copied", *names(12, 20)]
    sent_again = ["not sent when copied", "new 1", "new 2"]
    assert stored(pulsar_namespace, TOPIC, 23) == sent_before + sent_again


def test_what_was_stored_when_the_answer_was_lost_is_found_and_not_sent_again(
    pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace, pulsar_network: TcpProxy, spool: Spool
) -> None:
    with opened(f"{pulsar.proxied_url}/{pulsar_namespace.name}", QUICK) as broker:
        broker.ensure_subscription(TOPIC, "s")
        publishing = publisher(broker, spool)
        with running(publishing):
            add(spool, names(1, 5))
            until(is_sent(spool), "sent")
            pulsar_network.stall(Direction.ANSWERS)
            add(spool, names(6, 10))
            publishing.wake.set()
            full = pulsar_namespace.topic(TOPIC)
            until(lambda: pulsar.admin.backlog(full, "s") == 10, "stored")
            pulsar_network.cut()
            pulsar_network.mend()
            until(is_sent(spool), "known to be sent", seconds=PATIENCE)

    assert publishing.state.published == 5
    assert publishing.state.recovered + publishing.state.duplicates == 5
    assert stored(pulsar_namespace, TOPIC, 10) == names(1, 10)


@pytest.mark.parametrize("weather", ["half-closed", "slow", "refused past the library's patience"])
def test_a_bad_network_loses_nothing(
    pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace, pulsar_network: TcpProxy, spool: Spool, weather: str
) -> None:
    """Refused for longer than its timeout after a producer was made, the library never connects that one again."""
    with opened(f"{pulsar.proxied_url}/{pulsar_namespace.name}", QUICK) as broker:
        broker.ensure_subscription(TOPIC, "s")
        publishing = publisher(broker, spool)
        with running(publishing):
            until(lambda: publishing.check() is None, "connected")
            match weather:
                case "half-closed":
                    pulsar_network.half_close(Direction.ANSWERS)
                case "slow":
                    pulsar_network.delay(0.3)
                case _:
                    pulsar_network.refuse()
                    pulsar_network.cut()
            add(spool, names(1, 300))
            publishing.wake.set()
            if weather.startswith("refused"):
                until(lambda: "nothing listens" in (publishing.check() or ""), "in trouble", seconds=PATIENCE)
                pulsar_network.mend()
            until(is_sent(spool), "sent", seconds=PATIENCE)

    assert stored(pulsar_namespace, TOPIC, 300) == names(1, 300)


def test_of_two_replicas_the_one_that_is_fenced_keeps_its_rows_until_it_is_resumed(
    pulsar_namespace: PulsarNamespace, broker: Broker, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        spools = [stack.enter_context(closing(open_spool(tmp_path / f"{n}.db"))) for n in (1, 2)]
        brokers = [broker, stack.enter_context(opened(url_of(pulsar_namespace), QUICK))]
        first, second = (publisher(one, spool) for one, spool in zip(brokers, spools, strict=True))
        stack.enter_context(running(first))
        add(spools[0], ["1st"])
        until(is_sent(spools[0]), "sent")
        stack.enter_context(running(second))
        add(spools[1], ["2nd"])
        until(is_sent(spools[1]), "sent")

        add(spools[0], ["kept"])
        first.wake.set()
        until(lambda: first.state.fenced, "fenced")
        assert "another producer took over" in (first.check() or "")
        assert spools[0].state().waiting == 1

        first.resume()
        until(is_sent(spools[0]), "sent")
        add(spools[1], ["never"])
        second.wake.set()
        until(lambda: second.state.fenced, "fenced")

    assert stored(pulsar_namespace, TOPIC, 3) == ["1st", "2nd", "kept"]


def test_producers_of_many_nodes_share_a_topic(
    pulsar_namespace: PulsarNamespace, broker: Broker, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        spools = [stack.enter_context(closing(open_spool(tmp_path / f"{n}.db"))) for n in range(3)]
        for number, spool in enumerate(spools):
            add(spool, [f"{number}-{event}" for event in range(20)])
            stack.enter_context(running(publisher(broker, spool, exclusive=False)))
        for spool in spools:
            until(is_sent(spool), "sent")

    got = stored(pulsar_namespace, TOPIC, 60)
    for number in range(3):
        assert [one for one in got if one.startswith(f"{number}-")] == [f"{number}-{event}" for event in range(20)]


def test_a_broker_that_forgot_the_numbers_gets_what_is_not_acknowledged(
    pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace, spool: Spool, broker: Broker
) -> None:
    """As after a topic was deleted, or a producer was silent past the broker's inactivity timeout."""
    add(spool, names(1, 3))
    with running(publisher(broker, spool)):
        until(is_sent(spool), "sent")
    pulsar.admin.delete_topic(pulsar_namespace.topic(TOPIC))
    broker.ensure_subscription(TOPIC, "s")
    add(spool, ["4"])
    with running(publisher(broker, spool)):
        until(is_sent(spool), "sent")

    assert stored(pulsar_namespace, TOPIC, 1) == ["4"]


def test_a_topic_stays_its_first_clusters_over_a_restart(
    pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace, broker: Broker
) -> None:
    broker.claim(TOPIC, owner="cluster-1")
    pulsar.admin.unload(pulsar_namespace.topic("failure-agent-topics"))
    pulsar.admin.set_retention(pulsar_namespace.name, minutes=0, megabytes=0)

    with opened(url_of(pulsar_namespace)) as another, pytest.raises(TopicTaken, match="failctl broker release"):
        another.claim(TOPIC, owner="cluster-2")
