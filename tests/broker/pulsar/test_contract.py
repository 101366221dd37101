"""The contract of brokers, on a real Pulsar."""

import secrets
from collections.abc import Iterator

import pytest

from agent.broker.connect import connect
from agent.broker.port import Broker
from agent.settings.pulsar import PulsarSettings
from tests.broker.contract import Adapter, BrokerContract
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import make_namespace

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pulsar")]


class PulsarAdapter:
    quiet_seconds = 1.0

    def __init__(self, url: str, admin_url: str) -> None:
        self._url = url
        self._settings = PulsarSettings(admin_url=admin_url)
        self._opened: list[Broker] = []

    def open(self) -> Broker:
        self._opened.append(connect(self._url, self._settings))
        return self._opened[-1]

    def topic(self, name: str) -> str:
        return f"{secrets.token_hex(4)}-{name}"

    def close(self) -> None:
        for one in self._opened:
            one.close()


class TestPulsarContract(BrokerContract):
    @pytest.fixture(scope="class")
    @staticmethod
    def namespace(shared_pulsar: PulsarBroker) -> str:
        return make_namespace(shared_pulsar).name

    @pytest.fixture
    def adapter(self, pulsar: PulsarBroker, namespace: str) -> Iterator[Adapter]:
        made = PulsarAdapter(f"{pulsar.url}/{namespace}", pulsar.admin_url)
        yield made
        made.close()
