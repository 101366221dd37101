"""``failctl explain``."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.ctl.console.exits import Exit, end


def explain(
    identifier: Annotated[str, typer.Argument(metavar="JOB|RUN", help="The id of a job, or of one of its runs.")],
    store: Annotated[str | None, typer.Option("--store", help="The scheduler's store.", metavar="URL")] = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", help="The scheduler's settings, which name it.", metavar="FILE")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table, json or yaml.")] = "table",
    whole: Annotated[bool, typer.Option("--all", help="Every run, with everything its verdict is based on.")] = False,
) -> None:
    """Show what happened to a job, run after run, what was decided, and why."""

    def run() -> Exit:
        from agent.ctl.explain.explain import ExplainRequest
        from agent.ctl.explain.explain import run as run_explain

        request = ExplainRequest(identifier=identifier, store=store, settings=settings, output=output, whole=whole)
        return run_explain(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)
