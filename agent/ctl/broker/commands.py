"""``failctl broker`` as people type it."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.ctl.console.exits import Exit, end

broker = typer.Typer(
    name="broker",
    help="What carries the messages: the event log, or Pulsar.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Url = Annotated[str | None, typer.Option("--broker", help="Overrides the settings' address.", metavar="URL")]


@broker.command("check")
def check_command(
    cluster: Annotated[Path | None, typer.Option("--cluster", help="Settings of an agent.", metavar="FILE")] = None,
    scheduler: Annotated[
        Path | None, typer.Option("--scheduler", help="Settings of a scheduler.", metavar="FILE")
    ] = None,
    url: Url = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
) -> None:
    """Say which of address, TLS, token, tenant, permission and settings is wrong, and how to fix it.

    Run it where the process runs, with its settings: topics and subscriptions it needs are made.
    """

    def run() -> Exit:
        from agent.ctl.broker.check import BrokerCheckRequest, run_check

        request = BrokerCheckRequest(cluster=cluster, scheduler=scheduler, url=url, output=output)
        return run_check(request, environ=os.environ, out=sys.stdout)

    end(run)


@broker.command("release")
def release_command(
    topic: Annotated[str, typer.Argument(help="As run-events-CLUSTER.", metavar="TOPIC")],
    url: Url = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", help="The scheduler's, which name the broker.", metavar="FILE")
    ] = None,
) -> None:
    """Release the topic of a cluster that is gone, so that another cluster of that name can own it."""

    def run() -> Exit:
        from agent.ctl.broker.check import release
        from agent.ctl.broker.connect import BrokerAddress

        return release(topic, where=BrokerAddress(url=url, settings=settings), environ=os.environ, out=sys.stdout)

    end(run)
