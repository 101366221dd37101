"""``failctl error-rule``: error tables, checked, tried, and carried from one format to another."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from agent.ctl.console.exits import Exit, end

error_rule = typer.Typer(name="error-rule", help="Error tables.", no_args_is_help=True, rich_markup_mode=None)

Form = Annotated[str | None, typer.Option("--format", help="yaml, json, csv or sql; default: as the file's name ends.")]
ModeOption = Annotated[str, typer.Option("--mode", help="strict, or compatible: as PanDA is today, defects included.")]
Codes = Annotated[Path | None, typer.Option("--codes", help="Error codes; default: those that ship.", metavar="FILE")]
Output = Annotated[str, typer.Option("-o", "--output", help="table or json.")]


@error_rule.callback()
def _root() -> None:
    """Error tables: rules by error source and code that forbid retries or add memory and time."""


@error_rule.command()
def lint(
    files: Annotated[list[Path], typer.Argument(help="Error tables; - is standard input.")],
    form: Form = None,
    mode: ModeOption = "strict",
    codes: Codes = None,
    output: Output = "table",
) -> None:
    """Find every fault of error tables, with line, column and the fix; also codes that nobody emits."""

    def run() -> Exit:
        from agent.ctl.error_rule.lint import TableLintRequest
        from agent.ctl.error_rule.lint import run as run_lint

        request = TableLintRequest(files=tuple(files), form=form, mode=mode, codes=codes, output=output)
        return run_lint(request, now=datetime.now(UTC), out=sys.stdout)

    end(run)


@error_rule.command()
def decide(
    table: Annotated[Path, typer.Option("-f", "--file", help="The error table.", metavar="FILE")],
    failures: Annotated[
        Path, typer.Option("--failures", help="Failures of a job; - is standard input.", metavar="FILE")
    ],
    form: Form = None,
    mode: ModeOption = "strict",
    codes: Codes = None,
    at: Annotated[
        str | None, typer.Option("--at", help="When, as 2026-01-15T12:00:00Z; default: now.", metavar="TIME")
    ] = None,
    output: Output = "table",
) -> None:
    """Ask an error table about failure after failure of a job: limits, memory, time, and which rule says so."""

    def run() -> Exit:
        from agent.ctl.error_rule.decide import ErrorRuleRequest
        from agent.ctl.error_rule.decide import run as run_decide

        request = ErrorRuleRequest(
            table=table, failures=failures, form=form, mode=mode, codes=codes, at=at, output=output
        )
        return run_decide(request, now=datetime.now(UTC), out=sys.stdout)

    end(run)


@error_rule.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="Rows as SQL, CSV, JSON or YAML; - is standard input.")],
    form: Form = None,
    mode: ModeOption = "strict",
) -> None:
    """Print a table of any format as the YAML document that is kept; findings go to standard error."""

    def run() -> Exit:
        from agent.ctl.error_rule.files import ConvertRequest, convert

        return convert(ConvertRequest(file=file, form=form, to="yaml", mode=mode), out=sys.stdout, err=sys.stderr)

    end(run)


@error_rule.command()
def export(
    file: Annotated[Path, typer.Argument(help="An error table; - is standard input.")],
    to: Annotated[str, typer.Option("--to", help="yaml, json, csv or sql.")],
    form: Form = None,
    mode: ModeOption = "strict",
) -> None:
    """Print a table in another format; what is read from it again is the same table."""

    def run() -> Exit:
        from agent.ctl.error_rule.files import ConvertRequest, convert

        return convert(ConvertRequest(file=file, form=form, to=to, mode=mode), out=sys.stdout, err=sys.stderr)

    end(run)
