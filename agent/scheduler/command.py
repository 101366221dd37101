"""``failure-agent scheduler``: its command line and exit codes."""

from collections.abc import Sequence

from agent.broker.connect import BadAddress
from agent.broker.port import BrokerError
from agent.process.command import BROKER, Override, ProcessCommand
from agent.process.exits import Exit
from agent.scheduler.app import run
from agent.scheduler.config.files import REFUSALS, configuration_files
from agent.store.errors import BadStoreAddress, StoreError, StoreUnreachable


def main(argv: Sequence[str]) -> int:
    """Run the process. Exit codes: 0 fine, 1 failed, 2 wrong usage or settings, 3 broker or store unreachable."""
    return ProcessCommand(
        name="scheduler",
        description="Decide what happens after each failure.",
        overrides=(
            BROKER,
            Override(option="--store", metavar="URL", setting="store.url", help="the store; overrides store.url"),
        ),
        files=configuration_files,
        run=run,
        expected={
            Exit.USAGE: (*REFUSALS, BadAddress, BadStoreAddress),
            Exit.UNREACHABLE: (BrokerError, StoreUnreachable),
            Exit.FAILED: (StoreError, OSError),
        },
    ).main(argv)
