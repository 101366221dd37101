"""``failctl policy`` and ``failctl decide``: retry policies, tried."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.ctl.console.exits import Exit, end

policy = typer.Typer(name="policy", help="Try retry policies.", no_args_is_help=True, rich_markup_mode=None)


@policy.callback()
def _root() -> None:
    """Try retry policies."""


@policy.command("test")
def policy_test(
    scenarios: Annotated[list[Path], typer.Argument(help="Scenario files: failures, and the verdicts expected.")],
    policies: Annotated[list[Path], typer.Option("-f", "--policy", help="Files of retry policies.", metavar="FILE")],
    coverage: Annotated[bool, typer.Option("--coverage", help="Which rules spoke, and which never.")] = False,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", help="Exit with code 1 below so many percent.", metavar="N")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
) -> None:
    """Test policies on scenarios; exits with code 1 where a verdict is not the one expected."""

    def run() -> Exit:
        from agent.ctl.policy.test import PolicyTestRequest
        from agent.ctl.policy.test import run as run_test

        request = PolicyTestRequest(
            scenarios=tuple(scenarios),
            policies=tuple(policies),
            output=output,
            coverage=coverage,
            fail_under=fail_under,
        )
        return run_test(request, out=sys.stdout)

    end(run)


def decide(
    policies: Annotated[list[Path], typer.Option("-f", "--policy", help="Files of retry policies.", metavar="FILE")],
    history: Annotated[Path, typer.Option("--history", help="The scenario; - is standard input.", metavar="FILE")],
    queue_policies: Annotated[
        str | None, typer.Option("--queue-policies", help="The queue's, by name: a,b. Default: the scenario's, or all.")
    ] = None,
    annotation: Annotated[
        str | None, typer.Option("--annotation", help="Those the job's annotation names: a,b.")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
    whole: Annotated[bool, typer.Option("--all", help="Everything each verdict is based on.")] = False,
) -> None:
    """Decide a course of failures by retry policies, verdict after verdict, without a cluster."""

    def run() -> Exit:
        from agent.ctl.policy.decide import DecideRequest
        from agent.ctl.policy.decide import run as run_decide

        request = DecideRequest(
            policies=tuple(policies),
            history=history,
            queue=_names(queue_policies),
            annotation=_names(annotation),
            output=output,
            whole=whole,
        )
        return run_decide(request, out=sys.stdout)

    end(run)


def _names(written: str | None) -> tuple[str, ...] | None:
    return None if written is None else tuple(name.strip() for name in written.split(",") if name.strip())
