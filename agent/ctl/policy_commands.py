"""``failctl policy``: retry policies, tried."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.ctl.ending import end
from agent.ctl.exits import Exit

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
        float | None, typer.Option("--fail-under", help="End with code 1 below so many percent.", metavar="N")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
) -> None:
    """Hold policies against scenarios; ends with code 1 where a verdict is not the one expected."""

    def run() -> Exit:
        from agent.ctl.policy_test import Request
        from agent.ctl.policy_test import run as run_test

        request = Request(
            scenarios=tuple(scenarios),
            policies=tuple(policies),
            output=output,
            coverage=coverage,
            fail_under=fail_under,
        )
        return run_test(request, out=sys.stdout)

    end(run)
