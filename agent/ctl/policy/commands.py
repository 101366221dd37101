"""``failctl policy`` and ``failctl decide``: try retry policies."""

import os
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import (
    ApiSettings,
    Details,
    Filenames,
    InContext,
    MaybePolicies,
    Output,
    Policies,
    Server,
    names_in,
)
from agent.console.program import add, make_app

policy = make_app("policy", "Test retry policies.")


def add_commands(app: typer.Typer) -> None:
    """Add ``decide`` to the program."""
    add(
        app,
        "failctl decide -f failures.yaml --policies demo.yaml",
        "failctl decide -f failures.yaml --policies demo.yaml --policies infra.yaml --queue-policies infra --details",
    )(decide)


@add(
    policy,
    "failctl policy test -f scenarios.yaml --policies demo.yaml",
    "failctl policy test -f scenarios/ --policies demo.yaml --coverage --fail-under 90",
    name="test",
)
def check_policies(
    files: Filenames,
    policies: Policies,
    coverage: Annotated[bool, typer.Option("--coverage", help="Report which rules never decided.")] = False,
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under", min=0, max=100, help="Exit with 1 if a smaller share of rules decided.", metavar="PERCENT"
        ),
    ] = None,
    output: Output = "table",
) -> None:
    """Test retry policies on scenarios.

    Scenarios are failures with their expected verdicts; the exit code is 1 if a verdict differs.
    """

    def run() -> Exit:
        from agent.ctl.policy.test import PolicyTestRequest
        from agent.ctl.policy.test import run as run_test

        request = PolicyTestRequest(
            scenarios=tuple(files),
            policies=tuple(policies),
            output=output,
            coverage=coverage,
            fail_under=fail_under,
        )
        return run_test(request, out=sys.stdout)

    end(run)


def decide(  # noqa: PLR0913 - an option each
    files: Filenames,
    *,
    policies: MaybePolicies = None,
    queue_policies: Annotated[
        str | None,
        typer.Option(
            "--queue-policies", help="Policies of the queue: a,b. Default: the scenario's, or all.", metavar="NAMES"
        ),
    ] = None,
    annotation: Annotated[
        str | None, typer.Option("--annotation", help="Policies in the job's annotation: a,b.", metavar="NAMES")
    ] = None,
    output: Output = "table",
    details: Details = False,
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
) -> None:
    """Decide the failures of a scenario by retry policies.

    Prints each verdict; needs no cluster. Without --policies, by those of the scheduler.
    """

    def run() -> Exit:
        from agent.ctl.policy.decide import DecideRequest
        from agent.ctl.policy.decide import run as run_decide
        from agent.ctl.policy.remote import decide_there
        from agent.ctl.server import ServerChoice

        request = DecideRequest(
            scenarios=tuple(files),
            policies=tuple(policies or ()),
            queue=names_in(queue_policies),
            annotation=names_in(annotation),
            output=output,
            details=details,
        )
        if policies:
            return run_decide(request, out=sys.stdout, err=sys.stderr)
        choice = ServerChoice(server=server, settings=settings, context=context)
        return decide_there(request, choice, environ=os.environ, out=sys.stdout)

    end(run)


@add(
    policy,
    "failctl policy effective --queue ml",
    "failctl policy effective 01stet4b --annotation extra-retry",
)
def effective(
    job: Annotated[str | None, typer.Argument(help="A job, a run or a pod, for its queue.", metavar="[JOB]")] = None,
    queue: Annotated[str | None, typer.Option("--queue", help="A queue instead.", metavar="NAME")] = None,
    annotation: Annotated[
        str, typer.Option("--annotation", help="Policies in the job's annotation: a,b.", metavar="NAMES")
    ] = "",
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
) -> None:
    """Show which retry policies of the scheduler decide for a job."""

    def run() -> Exit:
        from agent.ctl.policy.remote import EffectiveRequest, show_effective
        from agent.ctl.server import ServerChoice

        request = EffectiveRequest(job=job, queue=queue, annotation=annotation)
        choice = ServerChoice(server=server, settings=settings, context=context)
        return show_effective(request, choice, environ=os.environ, now=datetime.now(UTC), out=sys.stdout)

    end(run)
