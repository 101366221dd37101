"""A client of the real broker stays in the network that a test breaks."""

from contextlib import closing

import pytest
from pulsar import AuthenticationToken, Client, ConsoleLogger, LoggerLevel, Timeout

from tests.servers.patience import until
from tests.servers.proxy import Direction, TcpProxy
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.servers.pulsar_security import SecurePulsarBroker

pytestmark = pytest.mark.slow

QUIET = ConsoleLogger(LoggerLevel.Error)


def test_a_client_that_came_by_the_proxy_stays_in_it(
    pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace, pulsar_network: TcpProxy
) -> None:
    topic = pulsar_namespace.topic("a")
    with closing(Client(pulsar.proxied_url, logger=QUIET)) as client:
        producer = client.create_producer(topic, send_timeout_millis=1000)
        producer.send(b"before")
        pulsar_network.stall()
        with pytest.raises(Timeout):
            producer.send(b"lost or not")
        pulsar_network.mend()
        pulsar_network.cut()
        until(lambda: pulsar_network.connections > 0, "connected again")
        producer.send(b"after")

    assert pulsar_network.accepted > 1


def test_what_was_sent_is_stored_though_the_client_is_not_told(
    pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace, pulsar_network: TcpProxy
) -> None:
    topic = pulsar_namespace.topic("a")
    pulsar.admin.create_subscription(topic, "mine")
    with closing(Client(pulsar.proxied_url, logger=QUIET)) as client:
        producer = client.create_producer(topic, send_timeout_millis=1000)
        pulsar_network.stall(Direction.ANSWERS)
        with pytest.raises(Timeout):
            producer.send(b"stored")

        assert pulsar.admin.backlog(topic, "mine") == 1
        pulsar_network.mend()


def test_the_network_to_a_secured_broker_carries_tls(
    secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace
) -> None:
    with (
        secure_pulsar.network() as network,
        closing(
            Client(
                secure_pulsar.proxied_url,
                authentication=AuthenticationToken(secure_pulsar.token("admin")),
                tls_trust_certs_file_path=str(secure_pulsar.authority.certificate),
                logger=QUIET,
            )
        ) as client,
    ):
        client.create_producer(secure_namespace.topic("a")).send(b"told")
        assert network.connections > 0
