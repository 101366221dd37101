"""Fixtures with a real Pulsar. A plugin of pytest: ``tests.servers.pulsar``."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.servers.availability import require
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import PulsarNamespace, make_namespace

StartPulsar = Callable[..., PulsarBroker]
"""Takes settings of broker.conf by name."""


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
def start_pulsar(pulsar_program: Path, tmp_path: Path) -> Iterator[StartPulsar]:
    """Starts brokers of the test's own, which end with it: ``start_pulsar(managedLedgerMaxEntriesPerLedger="20")``."""
    with ExitStack() as running:
        yield lambda **overrides: running.enter_context(
            PulsarBroker(pulsar_program, tmp_path / f"pulsar-{secrets.token_hex(4)}", overrides=overrides)
        )
