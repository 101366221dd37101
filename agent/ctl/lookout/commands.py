"""The command line of ``failctl lookout``."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import BrokerUrl, DryRun, Output
from agent.console.program import add, make_app

lookout = make_app("lookout", "Show what a Lookout stored; store and count again.")

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


@add(
    lookout,
    "failctl lookout replay --from 2026-11-01T14:00 --settings lookout.yaml",
    "failctl lookout replay --from beginning --settings lookout.yaml --dry-run",
)
def replay(
    since: Annotated[
        str,
        typer.Option("--from", help="2h, 2026-11-01T14:00, or beginning: all that the topics have.", metavar="TIME"),
    ],
    settings: LookoutSettings = None,
    broker: BrokerUrl = None,
    database: DatabaseUrl = None,
    dry_run: DryRun = False,
    output: Output = "table",
) -> None:
    """Store again what the topics still have.

    Reads all messages that were published at this time or later, and stores what is missing or different; what is
    there already does not change. Agents, schedulers and the broker notice nothing. On SQLite stop `failure-agent
    lookout` first; on Postgres it may run. After Ctrl-C what was read is stored.
    """

    def run() -> Exit:
        from agent.ctl.lookout.connect import LookoutAddress
        from agent.ctl.lookout.replay import ReplayRequest
        from agent.ctl.lookout.replay import replay as run_replay

        where = LookoutAddress(settings=settings, broker=broker, database=database)
        request = ReplayRequest(since=since, where=where, dry_run=dry_run, output=output)
        return run_replay(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)


@add(
    lookout,
    "failctl lookout rebuild-rollups --settings lookout.yaml",
    "failctl lookout rebuild-rollups --check --database sqlite:///lookout.db",
    name="rebuild-rollups",
)
def rebuild_rollups(
    settings: LookoutSettings = None,
    database: DatabaseUrl = None,
    check: Annotated[bool, typer.Option("--check", help="Only compare; exits with 1 if a count is wrong.")] = False,
    output: Output = "table",
) -> None:
    """Count the stored runs again.

    Counts of runs by hour and by day and node are kept as runs are stored. This is for a database in which somebody
    changed rows. `failure-agent lookout` may run: it waits while the runs are counted. Counts from before what was
    pruned stay as they are.
    """

    def run() -> Exit:
        from agent.ctl.lookout.connect import LookoutAddress
        from agent.ctl.lookout.rollups import RebuildRequest
        from agent.ctl.lookout.rollups import rebuild_rollups as run_rebuild

        request = RebuildRequest(where=LookoutAddress(settings=settings, database=database), check=check, output=output)
        return run_rebuild(request, environ=os.environ, out=sys.stdout)

    end(run)
