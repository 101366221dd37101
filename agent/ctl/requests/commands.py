"""``failctl cancel``, ``retry``, ``never-retry`` and ``confirm-stopped`` as people type them."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import ApiSettings, DryRun, InContext, ListOutput, Server, Yes
from agent.console.program import add

if TYPE_CHECKING:
    from agent.ctl.requests.requests import Verb

Jobs = Annotated[
    list[str],
    typer.Argument(metavar="JOB...", help="Ids, 4 or more characters of their beginning or end, or client ids."),
]
Reason = Annotated[str, typer.Option("--reason", help="Why; it is kept, and explain shows it.", metavar="WHY")]


def add_commands(app: typer.Typer) -> None:
    """Add every command to the program."""
    for name, command, examples in _COMMANDS:
        add(app, *examples, name=name)(command)


def cancel(
    jobs: Jobs,
    *,
    reason: Reason = "",
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """Cancel submitted jobs, and stop their pods.

    Jobs that are cancelled already stay as they are.
    """
    _ask("cancel", jobs, reason=reason, server=server, settings=settings, context=context, output=output)


def retry(
    jobs: Jobs,
    *,
    again: Annotated[bool, typer.Option("--again", help="Also run a job again that succeeded.")] = False,
    reason: Reason = "",
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """Grant submitted jobs one more run each.

    The run is outside all limits. It waits for nothing but the stop of the last pod, and lifts never-retry. Jobs that
    have ended are reopened.
    """
    _ask("retry", jobs, reason=reason, server=server, settings=settings, context=context, output=output, again=again)


def never_retry(
    jobs: Jobs,
    *,
    reason: Reason = "",
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """Forbid further retries of submitted jobs.

    A job that waits for a retry ends; one that runs goes on until its run ends. retry lifts it.
    """
    _ask("never-retry", jobs, reason=reason, server=server, settings=settings, context=context, output=output)


def confirm_stopped(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN|UID...", help="Runs by id or its end, or the uids of pods.")
    ],
    *,
    reason: Reason = "",
    dry_run: DryRun = False,
    yes: Yes = False,
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """Vouch that the pods of submitted runs no longer run.

    For a pod whose stop nothing else confirms, because its node never returns or its object is gone: its job then goes
    on. If it still runs, two pods of the job may run at the same time. A run that is open is refused: cancel its job.

    Also for an orphan that holds a job, by its uid: a pod under the name of a run that the scheduler did not start.
    "failctl get orphans" lists them.
    """

    def run() -> Exit:
        from agent.console.options import may_change
        from agent.ctl.requests.stopped import StoppedRequest, confirm
        from agent.ctl.server import ServerChoice

        question = "Do these pods surely run no longer? If one does, two pods of its job may run at the same time."
        confirmed = may_change(question, yes=yes, dry_run=dry_run)
        if not confirmed and not dry_run:
            return Exit.FINE
        request = StoppedRequest(
            names=runs,
            reason=reason,
            dry_run=dry_run,
            output=output,
            where=ServerChoice(server=server, settings=settings, context=context),
        )
        return confirm(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)


def _ask(
    verb: "Verb",
    jobs: list[str],
    *,
    reason: str,
    server: str | None,
    settings: Path | None,
    context: str | None,
    output: ListOutput,
    again: bool = False,
) -> None:
    def run() -> Exit:
        from agent.ctl.requests.requests import JobsRequest, ask
        from agent.ctl.server import ServerChoice

        request = JobsRequest(
            verb=verb,
            jobs=jobs,
            reason=reason,
            again=again,
            output=output,
            where=ServerChoice(server=server, settings=settings, context=context),
        )
        return ask(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)


_COMMANDS = (
    ("cancel", cancel, ("failctl cancel 01stet4b", "failctl cancel team-a/train --reason 'wrong data set'")),
    ("retry", retry, ("failctl retry 01stet4b --reason 'the disk is repaired'", "failctl retry team-a/train --again")),
    ("never-retry", never_retry, ("failctl never-retry 01stet4b", "failctl never-retry team-a/train -o json")),
    (
        "confirm-stopped",
        confirm_stopped,
        (
            "failctl confirm-stopped 5f3b6c1e --reason 'node-7 was scrapped'",
            "failctl confirm-stopped 5f3b6c1e --dry-run",
            "failctl confirm-stopped c1b7f0de-3a51-4c5e-9f0c-2f6ab8a6d9f1",
        ),
    ),
)
