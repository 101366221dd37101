"""The real broker does what tests need of it."""

from contextlib import closing

import pytest
from pulsar import Client, ConsoleLogger, LoggerLevel, MessageId

from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.servers.pulsar_program import SOURCE
from tests.servers.sockets import listening

pytestmark = pytest.mark.slow


def connect(broker: PulsarBroker) -> Client:
    return Client(broker.url, logger=ConsoleLogger(LoggerLevel.Error))


def send(broker: PulsarBroker, topic: str, *sequence_ids: int) -> int:
    """Send them by one name; the last sequence id the broker had of it before."""
    with closing(connect(broker)) as client:
        producer = client.create_producer(topic, producer_name="one", batching_enabled=False)
        last = producer.last_sequence_id()
        for each in sequence_ids:
            producer.send(b"%d" % each, sequence_id=each)
    return int(last)


def stored(broker: PulsarBroker, topic: str) -> list[bytes]:
    with closing(connect(broker)) as client:
        reader = client.create_reader(topic, MessageId.earliest)
        messages = []
        while reader.has_message_available():
            messages.append(reader.read_next(timeout_millis=10_000).data())
    return messages


def test_it_is_the_pulsar_that_the_pom_names(pulsar: PulsarBroker) -> None:
    version = pulsar.admin.ask("GET", "brokers/version").body.decode()

    assert f"<pulsar.version>{version}</pulsar.version>" in (SOURCE / "pom.xml").read_text(encoding="utf-8")


def test_it_listens_on_loopback_only(pulsar: PulsarBroker) -> None:
    assert listening([pulsar.process.pid]) <= {"127.0.0.1", "::ffff:127.0.0.1"}
    assert listening([pulsar.process.pid])


def test_killed_and_mended_it_knows_what_was_stored(pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace) -> None:
    topic = pulsar_namespace.topic("a")
    pulsar.admin.create_subscription(topic, "keep")
    assert send(pulsar, topic, 1, 2, 3) == -1
    before = pulsar.process.pid
    pulsar.kill()

    pulsar.mend()

    assert pulsar.process.pid != before
    assert send(pulsar, topic, 2, 3, 4) == 3
    assert stored(pulsar, topic) == [b"1", b"2", b"3", b"4"]
