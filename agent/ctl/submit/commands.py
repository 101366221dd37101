"""``failctl submit`` as people type it."""

import os
import sys
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import ApiSettings, DryRun, Filenames, InContext, ListOutput, Server
from agent.console.program import add
from agent.ctl.resources.completion import complete_queue


def add_commands(app: typer.Typer) -> None:
    """Add the command to the program."""
    add(
        app,
        "failctl submit -f jobs.yaml",
        "failctl submit -f pod.yaml --queue ml --wait",
    )(submit)


def submit(
    *,
    files: Filenames,
    queue: Annotated[
        str,
        typer.Option(
            "--queue",
            help="The queue of documents that name none, such as Pods.",
            metavar="NAME",
            autocompletion=complete_queue,
        ),
    ] = "",
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until all have ended; exit with 1 unless all succeed.")
    ] = False,
    dry_run: DryRun = False,
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """Submit jobs: Armada's jobs files, or Pods.

    A job with a client id is submitted once, however often the file is; a Pod's is its namespace and name.

    The exit code is 1 if a job is not accepted.
    """

    def run() -> Exit:
        from agent.ctl.server import ServerChoice
        from agent.ctl.submit.submit import SubmitRequest
        from agent.ctl.submit.submit import run as run_submit

        request = SubmitRequest(
            files=files,
            queue=queue,
            wait=wait,
            dry_run=dry_run,
            output=output,
            where=ServerChoice(server=server, settings=settings, context=context),
        )
        return run_submit(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)
