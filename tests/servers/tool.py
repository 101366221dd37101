"""A tool that makes servers: found on the PATH, run, and heard line by line."""

import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.servers.server import CannotPrepareError

_LINES_OF_AN_ERROR: Final = 30


def find_tool(name: str, missing: str) -> str:
    """Where the tool is. Raises CannotPrepareError with ``missing`` where it is nowhere."""
    if (found := shutil.which(name)) is None:
        raise CannotPrepareError(missing)
    return found


@contextmanager
def lines_of(
    command: Sequence[str], *, name: str, folder: Path, environ: Mapping[str, str], explains: Callable[[str], bool]
) -> Iterator[Iterator[str]]:
    """What a command says, line by line.

    Raises CannotPrepareError if it fails, with its ``name`` and the last lines of those that ``explains`` is true of.
    """
    last: deque[str] = deque(maxlen=_LINES_OF_AN_ERROR)
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        try:
            yield _remembered(process.stdout, last.append, explains)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        said = "".join(last).rstrip()
        raise CannotPrepareError(f"`{name}` ended with {process.returncode}:\n{said}")


def _remembered(
    lines: Iterator[str], remember: Callable[[str], object], explains: Callable[[str], bool]
) -> Iterator[str]:
    for line in lines:
        if explains(line):
            remember(line)
        yield line
