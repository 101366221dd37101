"""``failctl``: what people type. Each command loads what it needs when it runs, so that ``--help`` is quick."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent import __version__
from agent.ctl.broker.commands import broker
from agent.ctl.classify.commands import classify, evaluate
from agent.ctl.console.exits import Exit, end
from agent.ctl.dlq.commands import dlq
from agent.ctl.error_rule.commands import error_rule
from agent.ctl.explain.commands import explain
from agent.ctl.finalizers.commands import finalizers
from agent.ctl.job.commands import FeatureGates, jobs, jobsets
from agent.ctl.policy.commands import decide, policy

app = typer.Typer(
    name="failctl",
    help="Why did it fail, and what happens next? Reads pods, rule files and the scheduler's store.",
    epilog="Exit codes: 0 fine, 1 something was found, 2 wrong usage, 3 unreachable.",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"failctl {__version__}")
        raise typer.Exit


def lint(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Rule files, retry policies, Jobs, JobSets; - is standard input.")
    ] = None,
    categories: Annotated[
        list[Path] | None,
        typer.Option("-c", "--categories", help="Rule files whose categories policies may name.", metavar="FILE"),
    ] = None,
    gates: FeatureGates = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
    settings: Annotated[
        Path | None,
        typer.Option("--settings", help="The cluster agent's: also find rules on what they switch off."),
    ] = None,
) -> None:
    """Find every fault of rule files, retry policies, Jobs and JobSets, with line, column and the fix."""

    def run() -> Exit:
        from agent.ctl.job.commands import gates_switched
        from agent.ctl.lint import LintRequest
        from agent.ctl.lint import run as run_lint

        on = gates_switched(gates or ())
        request = LintRequest(
            files=files or (), categories=categories or (), gates=on, settings=settings, output=output
        )
        return run_lint(request, environ=os.environ, out=sys.stdout)

    end(run)


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            help="categories, retrypolicy, settings, scenario, job, jobset, outcomes, errortable or errorcodes."
        ),
    ],
) -> None:
    """Print the JSON Schema of a kind of file, for editors."""

    def run() -> Exit:
        from agent.ctl.schema import run as run_schema

        return run_schema(kind, out=sys.stdout)

    end(run)


for _command in (classify, lint, evaluate, explain, decide, schema):
    app.command()(_command)
for _group in (broker, dlq, error_rule, finalizers, jobs, jobsets, policy):
    app.add_typer(_group)


def main() -> None:
    """Run ``failctl``."""
    app()


if __name__ == "__main__":
    main()
