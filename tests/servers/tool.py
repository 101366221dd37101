"""A tool that makes servers: found on the PATH, run, and heard line by line."""

import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Final

from tests.child import PIPE, STDOUT, Child
from tests.servers.server import CannotPrepareError

_LINES_OF_AN_ERROR: Final = 30
_MINUTES_OF_SILENCE: Final = 20.0
"""How long the next line may take: Go links, and Maven fetches a large file, for minutes without a word."""


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

    Raises CannotPrepareError if it fails or falls silent, with its ``name`` and the last lines of those that
    ``explains`` is true of.
    """
    last: deque[str] = deque(maxlen=_LINES_OF_AN_ERROR)
    with Child(command, cwd=folder, env=environ, stdout=PIPE, stderr=STDOUT) as tool:
        try:
            yield _remembered(tool.lines(_MINUTES_OF_SILENCE * 60), last.append, explains)
        except TimeoutExpired as error:
            problem = f"said nothing for {_MINUTES_OF_SILENCE:g} minutes"
            raise CannotPrepareError(_with_words(f"`{name}` {problem}", last)) from error
        code = tool.wait()
    if code != 0:
        raise CannotPrepareError(_with_words(f"`{name}` ended with {code}", last))


def _with_words(problem: str, last: Iterable[str]) -> str:
    return f"{problem}:\n{''.join(last).rstrip()}"


def _remembered(
    lines: Iterator[str], remember: Callable[[str], object], explains: Callable[[str], bool]
) -> Iterator[str]:
    for line in lines:
        if explains(line):
            remember(line)
        yield line
