"""``failctl evaluate``."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agent.console.exits import Exit, UsageError, end
from agent.console.options import Form, Output, Rules
from agent.console.program import add


def add_commands(app: typer.Typer) -> None:
    """Add the command to the program."""
    add(
        app,
        "failctl evaluate labelled.jsonl",
        "failctl evaluate labelled.jsonl --rules my-rules.yaml -o json",
        "failctl evaluate labelled.jsonl --without-source",
        "failctl evaluate --successful --rules my-rules.yaml",
    )(evaluate)


def evaluate(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="Labelled failures, one JSON object a line; - is standard input.", metavar="[FILE...]"),
    ] = None,
    rules: Rules = None,
    without_source: Annotated[
        bool,
        typer.Option("--without-source", help="Score each source's failures without the rules that rest on it alone."),
    ] = False,
    successful: Annotated[
        bool,
        typer.Option("--successful", help="Instead: what the rules blame in the shipped logs of successful runs."),
    ] = False,
    output: Output = "table",
) -> None:
    """Score a rule file on labelled failures.

    Labels are category, origin and retryable, and keyLine where one is marked. Intervals are of 95 %.

    With --successful: read the ends of logs of builds, tests, installs and servers that succeeded as those of a pod
    that exited with code 1. A rule that then blames infrastructure or the platform is wrong: exits with code 1.
    """

    def run() -> Exit:
        if successful and not files and not without_source:
            return _on_successful_runs(rules, output)
        if successful or not files:
            raise UsageError("give files with labelled failures, or --successful without them and --without-source")
        return _on_labelled(files, rules, output, without_source=without_source)

    end(run)


def _on_successful_runs(file: Path | None, output: Form) -> Exit:
    from agent.ctl.rule_file import compile_named, load_rules
    from agent.evaluate.false_names import run

    rules = load_rules(file)
    return run(rules, compile_named(rules, file), output=output, out=sys.stdout, err=sys.stderr)


def _on_labelled(files: Sequence[str], file: Path | None, output: Form, *, without_source: bool) -> Exit:
    from agent.ctl.rule_file import compile_named, load_rules
    from agent.evaluate.evaluation import run

    return run(
        files,
        rules=load_rules(file),
        compiled=partial(compile_named, file=file),
        without_source=without_source,
        output=output,
        out=sys.stdout,
        err=sys.stderr,
    )
