"""``failctl error-rule import`` and ``export``: a table in another format."""

from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from agent.ctl.error_rule_files import format_named, mode_named, read_table
from agent.ctl.exits import Exit, UsageError
from agent.documents.problem import render
from agent.manifests.error_table.write import UnnumberedActionError, write_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked; ``form`` is that of the file, ``to`` the one to write."""

    file: Path
    to: str
    form: str | None = None
    mode: str = "strict"


def convert(request: Request, *, out: TextIO, err: TextIO) -> Exit:
    """Write the table, its findings beside. Raises UsageError for files that cannot be used."""
    to = format_named(request.to)
    table, findings = read_table(request.file, request.form, mode_named(request.mode))
    try:
        text = write_table(table, to)
    except UnnumberedActionError as error:
        raise UsageError(f"{request.file}: {error}") from error
    err.writelines(render(finding) + "\n" for finding in findings)
    out.write(text)
    return Exit.FINE
