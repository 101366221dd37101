"""How far a subscription has acknowledged a topic, by what Pulsar's admin API says."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.broker.port import Broker, BrokerError, Subscription, Unreachable
from agent.broker.pulsar.admin import NotFound
from agent.broker.pulsar.positions import Position, PulsarAcknowledged
from agent.broker.pulsar.statistics import Statistics
from agent.settings.pulsar import PulsarSettings
from tests.answering import answering
from tests.broker.contract import KEY_SHARED, Sender, acknowledged, bury, is_before, take, until
from tests.broker.pulsar.adapter import IMPATIENT, opened, url_of
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.tables import table

ROWS = table(Path(__file__).with_name("positions.yaml"))


def stats(mark: str, last: str, ledgers: Mapping[int, int], apart: str = "[]") -> Mapping[str, Any]:
    cursor = {"markDeletePosition": mark, "individuallyDeletedMessages": apart}
    listed = [{"ledgerId": ledger, "entries": entries} for ledger, entries in ledgers.items()]
    return {"cursors": {"s": cursor}, "lastConfirmedEntry": last, "ledgers": listed}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_what_is_acknowledged(row: dict[str, Any]) -> None:
    known = PulsarAcknowledged.read(stats(row["mark"], row["last"], row["ledgers"]), "s")

    assert {position: known.before(position) for position in row["before"]} == row["before"]
    assert known.everything() is row["everything"]
    assert known.backlog() == row["backlog"]


def test_what_is_acknowledged_apart() -> None:
    known = PulsarAcknowledged.read(stats("5:1", "6:3", {5: 9, 6: 0}, "[(5:3..5:5],(6:-1..6:0]]"), "s")

    positions = ("5:0", "5:1", "5:2", "5:3", "5:4", "5:5", "5:6", "6:0", "6:1")
    apart = [text for text in positions if known.has(Position.parse(text))]
    assert apart == ["5:0", "5:1", "5:4", "5:5", "6:0"]
    assert not known.before("5:4")
    assert known.backlog() == 8


def test_a_subscription_that_does_not_exist_acknowledged_nothing() -> None:
    known = PulsarAcknowledged.read(stats("5:1", "5:1", {5: 0}), "t")

    assert (known.before("5:0"), known.before("5:1"), known.everything()) == (True, False, False)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {**stats("5:1", "5:1", {5: 0}), "cursors": []},
        {**stats("5:1", "5:1", {5: 0}), "ledgers": [{}]},
        stats("here", "5:1", {5: 0}),
    ],
)
def test_statistics_that_cannot_be_read_are_an_error_of_the_broker(answer: Mapping[str, Any]) -> None:
    with pytest.raises(BrokerError, match="cannot be read"):
        PulsarAcknowledged.read(answer, "s")


def on_another_ledger(namespace: PulsarNamespace, topic: str) -> Callable[[], None]:
    return lambda: namespace.broker.admin.do("PUT", f"persistent/{namespace.name}/{topic}/unload")


@pytest.mark.slow
@pytest.mark.xdist_group("pulsar")
def test_the_last_message_of_a_ledger_is_in_front_of_the_first_of_the_next(pulsar_namespace: PulsarNamespace) -> None:
    settings = IMPATIENT.model_copy(update={"admin_url": pulsar_namespace.broker.admin_url})
    with opened(url_of(pulsar_namespace), settings) as broker:
        broker.ensure_subscription("t", "s")
        for number in (1, 2, 3):
            producer = broker.producer("t", name="a")
            Sender(producer).send_all(2 * number - 1, 2 * number)
            producer.close()
            on_another_ledger(pulsar_namespace, "t")()
        subscription = broker.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")
        given = take(subscription, 6, ack=False)
        assert len({Position.parse(delivery.position).ledger for delivery in given}) == 3

        subscription.ack(given[1:2])
        assert not is_before(broker, given[2])
        subscription.ack(given[:1])
        until(lambda: is_before(broker, given[2]))
        assert not is_before(broker, given[3])
        subscription.ack(given[3:])
        on_another_ledger(pulsar_namespace, "t")()
        assert not acknowledged(broker, "t").everything()
        until(acknowledged_when_taken(broker, subscription))


def acknowledged_when_taken(broker: Broker, subscription: Subscription) -> Callable[[], bool]:
    """Take what comes again, too: acknowledgements on their way are lost with their connection."""

    def taken() -> bool:
        subscription.ack(subscription.receive(at_most=10, timeout=0.1))
        return acknowledged(broker, "t").everything()

    return taken


@pytest.mark.slow
@pytest.mark.xdist_group("pulsar")
def test_nothing_is_known_without_the_admin_api(pulsar_namespace: PulsarNamespace) -> None:
    with opened(url_of(pulsar_namespace)) as broker:
        broker.ensure_subscription("t", "s")

        Sender(broker.producer("t", name="a")).send_all(1)
        known = broker.retained("t", "s")
        assert (known.messages, known.subscribed, known.backlog, known.oldest_in_backlog) == (None,) * 4
        assert known.oldest is not None
        assert broker.acknowledged("t", "s") is None
        assert broker.dead_letter_keys("t-s-dlq") is None


@pytest.mark.slow
@pytest.mark.xdist_group("pulsar")
def test_many_dead_letters_are_read_in_several_looks(
    pulsar_namespace: PulsarNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.broker.pulsar.dead_letter_keys._SECONDS", 0)
    settings = IMPATIENT.model_copy(update={"admin_url": pulsar_namespace.broker.admin_url})
    with opened(url_of(pulsar_namespace), settings) as broker:
        bury(broker, "t", count=2)
        for _ in range(2):
            with pytest.raises(BrokerError, match="the next look reads on"):
                broker.dead_letter_keys("t-s-dlq")

        assert broker.dead_letter_keys("t-s-dlq") == frozenset({"key-1", "key-2"})


def test_an_admin_api_that_does_not_answer_is_not_asked_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at = 0.0
    monkeypatch.setattr("agent.broker.pulsar.statistics.time.monotonic", lambda: at)
    with answering(b"{}") as url:
        pass
    asked = Statistics(url, PulsarSettings(), namespace="public/default")
    with pytest.raises(Unreachable, match="does not answer"):
        asked.of("t")
    with pytest.raises(Unreachable, match="asked again within 30 s"):
        asked.of("t")

    at = 30.0
    with pytest.raises(Unreachable) as again:
        asked.of("t")
    assert "asked again" not in str(again.value)


@pytest.mark.slow
@pytest.mark.xdist_group("pulsar")
def test_the_admin_api_of_another_broker_is_an_error(pulsar_namespace: PulsarNamespace) -> None:
    with answering(b"{}", status=404) as url:
        settings = PulsarSettings(admin_url=url)
        with opened(url_of(pulsar_namespace), settings) as broker:
            broker.ensure_subscription("t", "s")

            with pytest.raises(NotFound, match="does not know"):
                broker.acknowledged("t", "s")
