"""What ``-f`` names: files, folders of them, and ``-`` for standard input."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from agent.bounds import MAX_BYTES
from agent.console.exits import UsageError
from agent.console.terminal import visible

STANDARD_INPUT: Final = Path("-")
ENDINGS: Final = (".yaml", ".yml", ".json", ".jsonl")
"""The file endings that are read from a folder; a file that is named directly may have any name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One file, or standard input."""

    path: Path

    @property
    def name(self) -> str:
        """Its name in messages; harmless on a terminal."""
        return "<stdin>" if self.path == STANDARD_INPUT else visible(str(self.path))

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Give its bytes. Raises UsageError where it cannot be opened."""
        if self.path == STANDARD_INPUT:
            return nullcontext(_standard_input())
        try:
            return self.path.open("rb")
        except IsADirectoryError as error:
            raise UsageError(f"{self.name}: this is a folder; name a file in it") from error
        except OSError as error:
            raise UsageError(f"{self.name}: {error.strerror}") from error

    def text(self) -> str:
        """Give its text; bytes that are not UTF-8 become U+FFFD, so that a linter can still say where they are.

        Of a file that exceeds the size limit of an object, only enough is read to notice it.
        """
        with self.open() as stream:
            return stream.read(MAX_BYTES + 1).decode("utf-8", "replace")


def inputs(names: Sequence[str | Path]) -> tuple[Input, ...]:
    """Give what is named, each folder's files in order of their names.

    Raises UsageError for a folder that has none to read, and for standard input named twice.
    """
    if [str(name) for name in names].count("-") > 1:
        raise UsageError("standard input can be read only once, but - is given twice")
    return tuple(Input(path=path) for name in names for path in _files(Path(name)))


def read_text(file: Path) -> tuple[str, str]:
    """Give the name to show and the text of one file. Raises UsageError where it cannot be read."""
    source = Input(path=file)
    return source.name, source.text()


def _files(path: Path) -> Sequence[Path]:
    if path == STANDARD_INPUT:
        return (path,)
    try:
        if not path.is_dir():
            return (path,)
        found = sorted(file for file in path.iterdir() if file.suffix in ENDINGS and file.is_file())
    except OSError as error:
        raise UsageError(f"{visible(str(path))}: {error.strerror}") from error
    if not found:
        raise UsageError(f"{visible(str(path))}: no file in this folder ends in {', '.join(ENDINGS)}")
    return found


def _standard_input() -> BinaryIO:
    if sys.stdin is None:  # as Python starts where descriptor 0 is closed
        raise UsageError("standard input is closed; name a file")
    return sys.stdin.buffer
