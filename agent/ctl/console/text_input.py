"""Text given by file name, or ``-`` for standard input."""

from pathlib import Path
from typing import BinaryIO

from agent.ctl.console.exits import UsageError

STANDARD_INPUT = Path("-")


def read_text(file: Path, stdin: BinaryIO) -> tuple[str, str]:
    """The name to show and the text of ``file``. Raises UsageError where it cannot be read.

    Bytes that are not UTF-8 become U+FFFD, so that a linter can still say where they are.
    """
    if file == STANDARD_INPUT:
        return "<stdin>", stdin.read().decode("utf-8", "replace")
    try:
        return str(file), file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error


def open_input(file: Path, stdin: BinaryIO) -> BinaryIO:
    """``file`` or standard input, open for reading bytes. Raises UsageError where it cannot be read."""
    if file == STANDARD_INPUT:
        return stdin
    try:
        return file.open("rb")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
