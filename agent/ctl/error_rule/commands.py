"""``failctl error-rule``: check, try and convert error tables."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from agent.console.exits import Exit, end
from agent.console.options import Output
from agent.console.program import add, make_app

error_rule = make_app("error-rule", "Check, try and convert error tables.")

TableForm = Literal["yaml", "json", "csv", "sql"]
Form = Annotated[
    TableForm | None, typer.Option("--format", help="The format of the table; default: by the file's ending.")
]
ModeOption = Annotated[
    Literal["strict", "compatible"], typer.Option("--mode", help="compatible: as PanDA today, including its defects.")
]
Codes = Annotated[Path | None, typer.Option("--codes", help="Error codes; default: the shipped ones.", metavar="FILE")]
Table = Annotated[Path, typer.Option("-f", "--filename", help="An error table; - is standard input.", metavar="FILE")]


@add(
    error_rule,
    "failctl error-rule lint rules.yaml",
    "failctl error-rule lint retryerrors.sql --mode compatible -o json",
)
def lint(
    files: Annotated[list[str], typer.Argument(help="Error tables; - is standard input.", metavar="FILE...")],
    form: Form = None,
    mode: ModeOption = "strict",
    codes: Codes = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 also for warnings.")] = False,
    output: Output = "table",
) -> None:
    """Find every problem in error tables, and the fix.

    With line and column; also reports codes that no source emits.
    """

    def run() -> Exit:
        from agent.ctl.lint import LintRequest
        from agent.ctl.lint import run as run_lint

        request = LintRequest(files=tuple(files), form=form, mode=mode, codes=codes, strict=strict, output=output)
        return run_lint(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout)

    end(run)


@add(
    error_rule,
    "failctl error-rule decide -f failures.yaml --table rules.yaml",
    "failctl error-rule decide -f failures.yaml --table rules.csv --at 2026-01-15T12:00:00Z",
)
def decide(
    failures: Annotated[
        Path, typer.Option("-f", "--filename", help="Failures of a job; - is standard input.", metavar="FILE")
    ],
    table: Annotated[Path, typer.Option("--table", help="The error table.", metavar="FILE")],
    form: Form = None,
    mode: ModeOption = "strict",
    codes: Codes = None,
    at: Annotated[
        str | None, typer.Option("--at", help="When, as 2026-01-15T12:00:00Z; default: now.", metavar="TIME")
    ] = None,
    output: Output = "table",
) -> None:
    """Apply an error table to failures of a job.

    One after the other: limits, memory, time, and the rule that decided.
    """

    def run() -> Exit:
        from agent.ctl.error_rule.decide import ErrorRuleRequest
        from agent.ctl.error_rule.decide import run as run_decide

        request = ErrorRuleRequest(
            table=table, failures=failures, form=form, mode=mode, codes=codes, at=at, output=output
        )
        return run_decide(request, now=datetime.now(UTC), out=sys.stdout)

    end(run)


@add(
    error_rule,
    "failctl error-rule import -f retryerrors.sql > rules.yaml",
    "failctl error-rule import -f - --format csv --mode compatible",
    name="import",
)
def import_(file: Table, form: Form = None, mode: ModeOption = "strict") -> None:
    """Print a table of any format as YAML.

    That is the document that is kept; findings go to standard error.
    """

    def run() -> Exit:
        from agent.ctl.error_rule.files import ConvertRequest, convert

        return convert(ConvertRequest(file=file, form=form, to="yaml", mode=mode), out=sys.stdout, err=sys.stderr)

    end(run)


@add(
    error_rule,
    "failctl error-rule export -f rules.yaml --to csv",
    "failctl error-rule export -f rules.yaml --to sql --mode compatible",
)
def export(
    file: Table,
    to: Annotated[TableForm, typer.Option("--to", help="The format to write.")],
    form: Form = None,
    mode: ModeOption = "strict",
) -> None:
    """Print a table in another format.

    Reading it back gives the same table.
    """

    def run() -> Exit:
        from agent.ctl.error_rule.files import ConvertRequest, convert

        return convert(ConvertRequest(file=file, form=form, to=to, mode=mode), out=sys.stdout, err=sys.stderr)

    end(run)
