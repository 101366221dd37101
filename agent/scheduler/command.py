"""``failure-agent scheduler``: its command line and exit codes."""

from typing import Annotated

import typer

from agent.broker.connect import BadAddress
from agent.broker.port import BrokerError
from agent.console.program import add, make_command_app
from agent.process.command import Broker, ProcessCommand, SettingsFile
from agent.process.exits import Exit
from agent.scheduler.app import run
from agent.scheduler.config.files import REFUSALS, configuration_files
from agent.store.errors import BadStoreAddress, StoreError, StoreUnreachable

app = make_command_app("scheduler")


@add(
    app,
    "failure-agent scheduler --settings scheduler.yaml",
    "failure-agent scheduler --settings scheduler.yaml --store sqlite:///store.db",
)
def scheduler(
    settings: SettingsFile = None,
    broker: Broker = None,
    store: Annotated[str | None, typer.Option("--store", help="The store; overrides store.url.", metavar="URL")] = None,
) -> None:
    """Decide what happens after each failure."""
    command = ProcessCommand(
        files=configuration_files,
        run=run,
        expected={
            Exit.USAGE: (*REFUSALS, BadAddress, BadStoreAddress),
            Exit.UNREACHABLE: (BrokerError, StoreUnreachable),
            Exit.FAILED: (StoreError, OSError),
        },
    )
    command.main(settings, {"broker.url": broker, "store.url": store})
