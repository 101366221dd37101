"""The command line of ``failctl dlq``."""

import os
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import BrokerUrl, DryRun, Every, ListOutput, Output, ProcessSettings, Yes
from agent.console.program import add, make_app

dlq = make_app("dlq", "List, show, replay and drop dead letters.")

Topic = Annotated[str, typer.Option("--topic", help="Only topics whose name starts with this.", metavar="TOPIC")]
Ids = Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Ids, as shown by list.")]


@add(dlq, "failctl dlq list --settings scheduler.yaml", "failctl dlq list --topic run-events-east -o name", name="list")
def list_command(
    broker: BrokerUrl = None, settings: ProcessSettings = None, topic: Topic = "", output: ListOutput = "table"
) -> None:
    """List dead letters, with the reason of each."""

    def run() -> Exit:
        from agent.ctl.broker.connect import BrokerAddress
        from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, list_dead_letters

        where = BrokerAddress(url=broker, settings=settings)
        request = DeadLetterRequest(where=where, choice=Choice(every=True, topic=topic), output=output)
        return list_dead_letters(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout)

    end(run)


@add(dlq, "failctl dlq show 17 --settings lookout.yaml", "failctl dlq show --all --topic run-events-east -o json")
def show(
    ids: Ids = None,
    broker: BrokerUrl = None,
    settings: ProcessSettings = None,
    topic: Topic = "",
    every: Every = False,
    output: Output = "table",
) -> None:
    """Show dead letters whole.

    Properties, error, and the event or the first bytes. JSON is one object a line.
    """

    def run() -> Exit:
        from agent.ctl.broker.connect import BrokerAddress
        from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, show_dead_letters

        choice = Choice(ids=ids or (), every=every, topic=topic)
        request = DeadLetterRequest(where=BrokerAddress(url=broker, settings=settings), choice=choice, output=output)
        return show_dead_letters(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)


@add(dlq, "failctl dlq replay 17 --yes --settings scheduler.yaml", "failctl dlq replay --all --dry-run")
def replay(
    ids: Ids = None,
    broker: BrokerUrl = None,
    settings: ProcessSettings = None,
    topic: Topic = "",
    every: Every = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Replay dead letters to the subscription that failed.

    Each is dropped once the broker has acknowledged its copy for replay.
    """

    def run() -> Exit:
        from agent.console.options import may_change
        from agent.ctl.broker.connect import BrokerAddress
        from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, replay_dead_letters

        choice = Choice(ids=ids or (), every=every, topic=topic)
        choice.check()
        confirmed = may_change("Replay these dead letters?", yes=yes, dry_run=dry_run)
        request = DeadLetterRequest(where=BrokerAddress(url=broker, settings=settings), choice=choice, yes=confirmed)
        return replay_dead_letters(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)


@add(dlq, "failctl dlq drop 17 --yes --settings scheduler.yaml", "failctl dlq drop --all --dry-run")
def drop(
    ids: Ids = None,
    broker: BrokerUrl = None,
    settings: ProcessSettings = None,
    topic: Topic = "",
    every: Every = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Delete dead letters permanently."""

    def run() -> Exit:
        from agent.console.options import may_change
        from agent.ctl.broker.connect import BrokerAddress
        from agent.ctl.dlq.dlq import Choice, DeadLetterRequest, drop_dead_letters

        choice = Choice(ids=ids or (), every=every, topic=topic)
        choice.check()
        confirmed = may_change("Delete these dead letters? They cannot be restored.", yes=yes, dry_run=dry_run)
        request = DeadLetterRequest(where=BrokerAddress(url=broker, settings=settings), choice=choice, yes=confirmed)
        return drop_dead_letters(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)
