"""``failctl error-rule lint``: every fault of error tables at once."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

from agent.console.exits import Exit
from agent.console.inputs import inputs
from agent.console.options import Form
from agent.ctl.error_rule.files import format_of, mode_named, read_codes
from agent.documents.problem import Problem, render
from agent.manifests.error_table.load import lint_error_table


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLintRequest:
    files: Sequence[str | Path]
    form: str | None = None
    mode: str = "strict"
    codes: Path | None = None
    output: Form = "table"


def run(request: TableLintRequest, *, now: datetime, out: TextIO) -> Exit:
    """Lint every file; errors and findings both end with code 1. Raises UsageError for a file that is not there."""
    mode, codes = mode_named(request.mode), read_codes(request.codes)
    problems: list[Problem] = []
    for file in inputs(request.files):
        form = format_of(file.path, request.form)
        problems += lint_error_table(file.text(), file=file.name, form=form, mode=mode, codes=codes, now=now)
    if request.output == "json":
        json.dump([asdict(problem) for problem in problems], out, indent=2)
        out.write("\n")
    else:
        out.writelines(render(problem) + "\n" for problem in problems)
        many = "1 file" if len(request.files) == 1 else f"{len(request.files)} files"
        out.write(f"{many}: {f'{len(problems)} to fix' if problems else 'nothing to fix'}\n")
    return Exit.FINDING if problems else Exit.FINE
