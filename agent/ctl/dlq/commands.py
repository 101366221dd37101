"""``failctl dlq`` as people type it."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from agent.ctl.console.exits import Exit, end

dlq = typer.Typer(name="dlq", help="Messages that could not be handled: dead letters.", no_args_is_help=True)

Broker = Annotated[str | None, typer.Option("--broker", help="The broker.", metavar="URL")]
Settings = Annotated[Path | None, typer.Option("--settings", help="The scheduler's, which name it.", metavar="FILE")]
Topic = Annotated[str, typer.Option("--topic", help="Only of topics whose name starts so.", metavar="TOPIC")]
Output = Annotated[str, typer.Option("-o", "--output", help="table or json.")]
Ids = Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="As list shows them.")]
Every = Annotated[bool, typer.Option("--all", help="Every one, of the topics given.")]


@dlq.command("list")
def list_command(broker: Broker = None, settings: Settings = None, topic: Topic = "", output: Output = "table") -> None:
    """List dead letters: since when, of which topic, who could not handle them, and why."""

    def run() -> Exit:
        from agent.ctl.broker.connect import BrokerAddress
        from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, list_dead_letters

        where = BrokerAddress(url=broker, settings=settings)
        request = DeadLetterRequest(where=where, choice=Choice(every=True, topic=topic), output=output)
        return list_dead_letters(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout)

    end(run)


@dlq.command()
def show(
    ids: Ids = None,
    broker: Broker = None,
    settings: Settings = None,
    topic: Topic = "",
    every: Every = False,
    output: Output = "table",
) -> None:
    """Show dead letters whole: properties, error, and the event or the first bytes. JSON is one object a line."""

    def run() -> Exit:
        from agent.ctl.broker.connect import BrokerAddress
        from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, show_dead_letters

        choice = Choice(ids=ids or (), every=every, topic=topic)
        request = DeadLetterRequest(where=BrokerAddress(url=broker, settings=settings), choice=choice, output=output)
        return show_dead_letters(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)


@dlq.command()
def replay(
    ids: Ids = None, broker: Broker = None, settings: Settings = None, topic: Topic = "", every: Every = False
) -> None:
    """Replay dead letters; each is dropped once the broker has acknowledged its copy for replay."""

    def run() -> Exit:
        from agent.ctl.broker.connect import BrokerAddress
        from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, replay_dead_letters

        choice = Choice(ids=ids or (), every=every, topic=topic)
        request = DeadLetterRequest(where=BrokerAddress(url=broker, settings=settings), choice=choice)
        return replay_dead_letters(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)


@dlq.command()
def drop(
    ids: Ids = None,
    broker: Broker = None,
    settings: Settings = None,
    topic: Topic = "",
    every: Every = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, only say what would be done.")] = False,
) -> None:
    """Delete dead letters for good."""

    def run() -> Exit:
        from agent.ctl.broker.connect import BrokerAddress
        from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, drop_dead_letters

        choice = Choice(ids=ids or (), every=every, topic=topic)
        request = DeadLetterRequest(where=BrokerAddress(url=broker, settings=settings), choice=choice, yes=yes)
        return drop_dead_letters(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)
