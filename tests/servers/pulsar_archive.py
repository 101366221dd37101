"""The archive of a broker's classes, with which Java starts it for half the work (class data sharing)."""

import tempfile
from pathlib import Path
from typing import Final

from tests.servers.pulsar_broker import BrokerEndedError, BrokerNotReadyError, PulsarBroker
from tests.servers.pulsar_program import ARCHIVE
from tests.servers.server import CannotPrepareError

_DUMP_SECONDS: Final = 120.0


def archive(program: Path) -> None:
    """Run a broker until it is ready, and let it end, which leaves the archive. Raises CannotPrepareError."""
    with tempfile.TemporaryDirectory(prefix="pulsar-") as folder:
        try:
            with PulsarBroker(program, Path(folder)) as broker:
                broker.process.end(seconds=_DUMP_SECONDS)
                words = broker.process.last_words()
        except (BrokerEndedError, BrokerNotReadyError) as error:
            raise CannotPrepareError(str(error)) from error
    if not (program / ARCHIVE).is_file():
        raise CannotPrepareError(f"Java left no archive of the broker's classes:\n{words}")
