"""The options of commands for error tables: format, mode and error codes."""

from pathlib import Path

from agent.console.exits import UsageError
from agent.console.inputs import read_text
from agent.core.error_table.codes import ErrorCodes
from agent.core.error_table.row import ReadingMode
from agent.ctl.files import loaded
from agent.manifests.error_table.codes import load_error_codes
from agent.manifests.error_table.write import Format
from agent.shipped import shipped

_ENDINGS = {".yaml": Format.YAML, ".yml": Format.YAML, ".json": Format.JSON, ".csv": Format.CSV, ".sql": Format.SQL}
_SHIPPED = "error-codes.yaml"


def format_of(file: Path, asked: str | None) -> Format:
    """The requested format, else by the file's name, else YAML. Raises UsageError."""
    if asked is None:
        return _ENDINGS.get(file.suffix.casefold(), Format.YAML)
    return format_named(asked)


def format_named(word: str) -> Format:
    """The format of this name. Raises UsageError for an unknown name."""
    try:
        return Format(word)
    except ValueError as error:
        raise UsageError(f"{word}: unknown format; use one of {', '.join(Format)}") from error


def mode_named(word: str) -> ReadingMode:
    """The mode of this name. Raises UsageError for an unknown name."""
    try:
        return ReadingMode(word)
    except ValueError as error:
        raise UsageError(f"--mode {word}: unknown mode; use one of {', '.join(ReadingMode)}") from error


def read_codes(file: Path | None) -> ErrorCodes:
    """The error codes of a file, or the shipped ones. Raises UsageError with every fault."""
    name, text = (_SHIPPED, shipped(_SHIPPED).read_text(encoding="utf-8")) if file is None else read_text(file)
    return loaded(text, name, load_error_codes)
