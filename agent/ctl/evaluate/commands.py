"""``failctl evaluate``."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from agent.console.exits import Exit, UsageError, end
from agent.console.options import Form, Output, Rules
from agent.console.program import add

LeaveOut = Literal["source", "pack"] | None


def add_commands(app: typer.Typer) -> None:
    """Add the command to the program."""
    add(
        app,
        "failctl evaluate labelled.jsonl",
        "failctl evaluate labelled.jsonl --rules my-rules.yaml -o json",
        "failctl evaluate labelled.jsonl --without-source",
        "failctl evaluate labelled.jsonl --without-pack",
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
    without_pack: Annotated[
        bool,
        typer.Option("--without-pack", help="Score each pack's failures without this pack."),
    ] = False,
    successful: Annotated[
        bool,
        typer.Option("--successful", help="Instead: what the rules blame in the shipped logs of successful runs."),
    ] = False,
    output: Output = "table",
) -> None:
    """Score a rule file on labelled failures.

    Labels are category, origin and retryable, and keyLine, grade and state where they are known. Where nothing failed,
    the category is none/success, none/waiting or none/unknown. Intervals are of 95 %; those of grades are by source.

    With --successful: read the ends of logs of builds, tests, installs and servers that succeeded as those of a pod
    that exited with code 1. A rule that then blames infrastructure or the platform is wrong: exits with code 1.
    """

    def run() -> Exit:
        if successful and not files and not (without_source or without_pack):
            return _on_successful_runs(rules, output)
        if successful or not files:
            raise UsageError("give files with labelled failures, or --successful alone, with --rules at most")
        if without_source and without_pack:
            raise UsageError("give --without-source or --without-pack, not both")
        leave_out: LeaveOut = "source" if without_source else "pack" if without_pack else None
        return _on_labelled(files, rules, output, leave_out=leave_out)

    end(run)


def _on_successful_runs(file: Path | None, output: Form) -> Exit:
    from agent.ctl.rule_file import compile_named, load_rules
    from agent.evaluate.false_names import run

    rules = load_rules(file)
    return run(rules, compile_named(rules, file), output=output, out=sys.stdout, err=sys.stderr)


def _on_labelled(files: Sequence[str], file: Path | None, output: Form, *, leave_out: LeaveOut) -> Exit:
    from agent.ctl.rule_file import compile_named, load_rules
    from agent.evaluate.evaluation import run

    return run(
        files,
        rules=load_rules(file),
        compiled=partial(compile_named, file=file),
        leave_out=leave_out,
        output=output,
        out=sys.stdout,
        err=sys.stderr,
    )
