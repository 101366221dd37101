"""The command line of ``failctl broker``."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import BrokerUrl, DryRun, Output, ProcessSettings, SchedulerSettings, StoreUrl, Yes
from agent.console.program import add, make_app

broker = make_app("broker", "Check the broker, find lost messages, release topics.")


@add(broker, "failctl broker check --cluster cluster.yaml", "failctl broker check --scheduler scheduler.yaml -o json")
def check(
    cluster: Annotated[
        Path | None, typer.Option("--cluster", help="Settings of a cluster's agent.", metavar="FILE")
    ] = None,
    scheduler: Annotated[
        Path | None, typer.Option("--scheduler", help="Settings of a scheduler.", metavar="FILE")
    ] = None,
    lookout: Annotated[Path | None, typer.Option("--lookout", help="Settings of a Lookout.", metavar="FILE")] = None,
    url: BrokerUrl = None,
    output: Output = "table",
) -> None:
    """Check the connection to the broker, and say how to fix it.

    Checks address, TLS, token, tenant, permission and settings. Run it where the process runs, with its settings. On
    Pulsar it creates the topics and subscriptions that the process needs. An event log that does not exist is reported,
    not created.
    """

    def run() -> Exit:
        from agent.ctl.broker.check import BrokerCheckRequest, run_check

        request = BrokerCheckRequest(cluster=cluster, scheduler=scheduler, lookout=lookout, url=url, output=output)
        return run_check(request, environ=os.environ, out=sys.stdout)

    end(run)


@add(broker, "failctl broker gaps --settings scheduler.yaml", "failctl broker gaps --settings scheduler.yaml -o json")
def gaps(store: StoreUrl = None, settings: SchedulerSettings = None, output: Output = "table") -> None:
    """List the messages of clusters that are missing.

    Reads the scheduler's store. Agents number their messages. A number that is missing below one that was consumed is
    on its way, or lost if the broker no longer has its message. Exits with 1 if messages were lost. A loss is shown for
    a week.
    """

    def run() -> Exit:
        from agent.ctl.broker.gaps import GapsRequest, list_gaps
        from agent.ctl.destination import StoreAddress

        request = GapsRequest(where=StoreAddress(url=store, settings=settings), output=output)
        return list_gaps(request, environ=os.environ, out=sys.stdout)

    end(run)


@add(
    broker,
    "failctl broker release run-events-east --settings scheduler.yaml --yes",
    "failctl broker release run-events-east --settings scheduler.yaml --dry-run",
)
def release(
    topic: Annotated[str, typer.Argument(help="As run-events-CLUSTER.", metavar="TOPIC")],
    url: BrokerUrl = None,
    settings: ProcessSettings = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Release the topic of a cluster that is gone.

    Another cluster with this name can then own it.
    """

    def run() -> Exit:
        from agent.console.options import may_change
        from agent.ctl.broker.check import ReleaseRequest
        from agent.ctl.broker.check import release as run_release
        from agent.ctl.broker.connect import BrokerAddress

        confirmed = may_change("Release this topic? Its cluster can no longer publish.", yes=yes, dry_run=dry_run)
        request = ReleaseRequest(topic=topic, where=BrokerAddress(url=url, settings=settings), yes=confirmed)
        return run_release(request, environ=os.environ, out=sys.stdout)

    end(run)
