"""``failctl explain``."""

import os
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import Details, DocumentOutput, InContext, Lookout, SchedulerSettings, Server, StoreUrl
from agent.console.program import add


def add_commands(app: typer.Typer) -> None:
    """Add the command to the program."""
    add(
        app,
        "failctl explain 01stet4b --store sqlite:///demo-data/store.db",
        "failctl explain team-a/train-0 --details",
    )(explain)


def explain(  # noqa: PLR0913 - an option each
    identifier: Annotated[
        str,
        typer.Argument(metavar="JOB|RUN|POD", help="An id, 4 or more characters of its beginning or end, or a pod."),
    ],
    *,
    store: StoreUrl = None,
    settings: SchedulerSettings = None,
    server: Server = None,
    lookout: Lookout = None,
    context: InContext = None,
    output: DocumentOutput = "table",
    details: Details = False,
    utc: Annotated[bool, typer.Option("--utc", help="Times in UTC; default: your local zone.")] = False,
) -> None:
    """Explain what happened to a job, and what was decided."""

    def run() -> Exit:
        from agent.ctl.explain.explain import ExplainRequest
        from agent.ctl.explain.explain import run as run_explain
        from agent.ctl.server import ServerChoice

        request = ExplainRequest(
            identifier=identifier,
            store=store,
            settings=settings,
            server=ServerChoice(server=server, lookout=lookout, context=context),
            output=output,
            details=details,
            utc=utc,
        )
        return run_explain(request, environ=os.environ, out=sys.stdout, err=sys.stderr, now=datetime.now(UTC))

    end(run)
