"""Error tables and error codes as commands read them from files."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from agent.console.exits import Exit, UsageError
from agent.console.inputs import read_text
from agent.core.error_table.row import ErrorTable, ReadingMode
from agent.ctl.files import unusable
from agent.ctl.tables import format_named, format_of, mode_named
from agent.documents.problem import ManifestError, Problem, render
from agent.manifests.error_table.load import check_table
from agent.manifests.error_table.rows import CheckContext
from agent.manifests.error_table.write import UnnumberedActionError, write_table
from agent.patterns import BacktrackingSearches


def read_table(file: Path, form: str | None, mode: ReadingMode) -> tuple[ErrorTable, tuple[Problem, ...]]:
    """The table of a file, and findings about it. Raises UsageError with every fault."""
    name, text = read_text(file)
    checked = check_table(text, file=name, form=format_of(file, form), context=CheckContext(mode=mode))
    try:
        return checked.value_or_raise(), checked.problems
    except ManifestError as error:
        raise unusable(name, error) from error


def searches() -> BacktrackingSearches:
    """The engine for patterns that RE2 cannot express."""
    return BacktrackingSearches(clock=time.monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertRequest:
    """What was asked; ``form`` is that of the file, ``to`` the one to write."""

    file: Path
    to: str
    form: str | None = None
    mode: str = "strict"


def convert(request: ConvertRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Write the table to ``out`` and findings to ``err``. Raises UsageError for files that cannot be used."""
    to = format_named(request.to)
    table, findings = read_table(request.file, request.form, mode_named(request.mode))
    try:
        text = write_table(table, to)
    except UnnumberedActionError as error:
        raise UsageError(f"{request.file}: {error}") from error
    err.writelines(render(finding) + "\n" for finding in findings)
    out.write(text)
    return Exit.FINE
