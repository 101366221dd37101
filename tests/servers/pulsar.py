"""Fixtures with a real Pulsar. A plugin of pytest: ``tests.servers.pulsar``."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests.servers.availability import require
from tests.servers.proxy import TcpProxy
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import PulsarNamespace, make_namespace
from tests.servers.pulsar_security import SecurePulsarBroker

StartPulsar = Callable[..., PulsarBroker]
"""Takes settings of broker.conf by name."""


class StartSecurePulsar(Protocol):
    """Takes settings of broker.conf by name."""

    def __call__(self, *, certificates_required: bool = False, **overrides: str) -> SecurePulsarBroker: ...


@pytest.fixture(scope="session")
def pulsar_program() -> Path:
    """The folder of the prepared server. Without one the test is skipped, or failed under CI."""
    return require("pulsar")


@pytest.fixture(scope="session")
def shared_pulsar(pulsar_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PulsarBroker]:
    """The broker of all tests. Tests take ``pulsar``, which is this one in order."""
    with PulsarBroker(pulsar_program, tmp_path_factory.mktemp("pulsar")) as running:
        yield running


@pytest.fixture
def pulsar(shared_pulsar: PulsarBroker) -> PulsarBroker:
    """The broker all tests share, ready. A test may kill it, but makes its topics in ``pulsar_namespace``."""
    shared_pulsar.mend()
    return shared_pulsar


@pytest.fixture
def pulsar_namespace(pulsar: PulsarBroker) -> PulsarNamespace:
    """A new namespace in the shared broker. It stays when the test has ended."""
    return make_namespace(pulsar)


@pytest.fixture
def pulsar_network(pulsar: PulsarBroker) -> Iterator[TcpProxy]:
    """A network to the shared broker, to be broken; clients connect to ``pulsar.proxied_url`` to be in it."""
    with pulsar.network() as network:
        yield network


@pytest.fixture
def start_pulsar(pulsar_program: Path, tmp_path: Path) -> Iterator[StartPulsar]:
    """Starts brokers of the test's own, which end with it: ``start_pulsar(managedLedgerMaxEntriesPerLedger="20")``."""
    with ExitStack() as running:
        yield lambda **overrides: running.enter_context(
            PulsarBroker(pulsar_program, tmp_path / f"pulsar-{secrets.token_hex(4)}", overrides=overrides)
        )


@pytest.fixture(scope="session")
def shared_secure_pulsar(
    pulsar_program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SecurePulsarBroker]:
    """The broker of all tests about tokens, certificates and rights. Tests take ``secure_pulsar``."""
    with SecurePulsarBroker(pulsar_program, tmp_path_factory.mktemp("secure-pulsar")) as running:
        yield running


@pytest.fixture
def secure_pulsar(shared_secure_pulsar: SecurePulsarBroker) -> SecurePulsarBroker:
    """The secured broker all tests share, ready. Rights are granted in ``secure_namespace``."""
    shared_secure_pulsar.mend()
    return shared_secure_pulsar


@pytest.fixture
def secure_namespace(secure_pulsar: SecurePulsarBroker) -> PulsarNamespace:
    """A new namespace in the secured broker, where nobody but ``admin`` has rights. It stays after the test."""
    return make_namespace(secure_pulsar)


@pytest.fixture
def start_secure_pulsar(pulsar_program: Path, tmp_path: Path) -> Iterator[StartSecurePulsar]:
    """Starts secured brokers of the test's own, which end with it."""
    with ExitStack() as running:

        def start(*, certificates_required: bool = False, **overrides: str) -> SecurePulsarBroker:
            folder = tmp_path / f"secure-pulsar-{secrets.token_hex(4)}"
            return running.enter_context(
                SecurePulsarBroker(
                    pulsar_program, folder, certificates_required=certificates_required, overrides=overrides
                )
            )

        yield start
