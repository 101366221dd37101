"""``failure-agent lookout``: its command line and exit codes."""

from typing import Annotated

import typer

from agent.broker.connect import BadAddress
from agent.broker.port import BrokerError
from agent.console.program import add, make_command_app
from agent.lookout.app import run
from agent.lookout.config import REFUSALS, configuration_files
from agent.process.command import Broker, ProcessCommand, SettingsFile
from agent.process.exits import Exit
from agent.store.errors import BadStoreAddress, StoreError, StoreUnreachable

app = make_command_app("lookout")

Database = Annotated[
    str | None, typer.Option("--database", help="The database; overrides database.url.", metavar="URL")
]


@add(
    app,
    "failure-agent lookout --settings lookout.yaml",
    "failure-agent lookout --broker sqlite:///log.db --database sqlite:///lookout.db",
)
def lookout(settings: SettingsFile = None, broker: Broker = None, database: Database = None) -> None:
    """Keep every failure where it can be looked up."""
    command = ProcessCommand(
        files=configuration_files,
        run=run,
        expected={
            Exit.USAGE: (*REFUSALS, BadAddress, BadStoreAddress),
            Exit.UNREACHABLE: (BrokerError, StoreUnreachable),
            Exit.FAILED: (StoreError, OSError),
        },
    )
    command.main(settings, {"broker.url": broker, "database.url": database})
