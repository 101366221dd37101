"""The archive that brokers start from."""

from pathlib import Path

import pytest

from tests.servers.pulsar_archive import archive
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_program import ARCHIVE
from tests.servers.server import CannotPrepareError

pytestmark = pytest.mark.slow


def test_java_takes_it(pulsar: PulsarBroker, pulsar_program: Path) -> None:
    """One that it refuses, for another class path or Java, it would go on without, and not say so."""
    assert str(pulsar_program / ARCHIVE) in Path(f"/proc/{pulsar.process.pid}/maps").read_text()


@pytest.mark.usefixtures("pulsar_program")
def test_a_broker_that_cannot_start_leaves_none_and_says_why(tmp_path: Path) -> None:
    with pytest.raises(CannotPrepareError, match=r"(?s)^Pulsar ended:.*ClassNotFoundException"):
        archive(tmp_path)
