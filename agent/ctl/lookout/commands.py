"""The command line of ``failctl lookout``."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import BrokerUrl, Output
from agent.console.program import add, make_app

lookout = make_app("lookout", "See how a Lookout stands.")

LookoutSettings = Annotated[Path | None, typer.Option("--settings", help="Lookout's settings.", metavar="FILE")]
DatabaseUrl = Annotated[str | None, typer.Option("--database", help="Lookout's database.", metavar="URL")]


@add(
    lookout,
    "failctl lookout status --settings lookout.yaml",
    "failctl lookout status --broker sqlite:///log.db --database sqlite:///lookout.db -o json",
)
def status(
    settings: LookoutSettings = None, broker: BrokerUrl = None, database: DatabaseUrl = None, output: Output = "table"
) -> None:
    """Show what is stored, and how far back the broker reaches.

    Of each topic: when its oldest message was published, how many it has, how many of them are not stored yet, and the
    age of the oldest of those. It only reads, so it can run at any time.
    """

    def run() -> Exit:
        from agent.ctl.lookout.connect import LookoutAddress
        from agent.ctl.lookout.status import StatusRequest, show_status

        where = LookoutAddress(settings=settings, broker=broker, database=database)
        request = StatusRequest(where=where, output=output)
        return show_status(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout)

    end(run)
