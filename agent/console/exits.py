"""How a command exits: stable exit codes, and the errors that lead to them."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import ClassVar

import typer

from agent.console.errors import report_error


class Exit(IntEnum):
    """0 nothing wrong, 1 a finding or no such id, 2 cannot be read or wrong usage, 3 unreachable, 141 closed stdout."""

    FINE = 0
    FINDING = 1
    USAGE = 2
    UNREACHABLE = 3
    CLOSED = 141


class CommandError(Exception):
    """A command cannot go on; the message says what to change. ``problems``: the same for programs, fault by fault."""

    code: ClassVar[Exit]

    def __init__(self, message: str, *, problems: Sequence[Mapping[str, object]] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UsageError(CommandError):
    """The command cannot run as given. Exits with code 2."""

    code = Exit.USAGE


class UnreachableError(CommandError):
    """A server or store does not answer; the message names it. Exits with code 3."""

    code = Exit.UNREACHABLE


class FindingError(CommandError):
    """What was asked for is refused as things are: a name is taken, something is in use. Exits with code 1."""

    code = Exit.FINDING


class NotFoundError(CommandError):
    """Nothing has the given name, or more than one thing has it. Exits with code 1."""

    code = Exit.FINDING


def end(run: Callable[[], Exit]) -> None:
    """Run a command and exit with its code; its errors go to standard error without a traceback."""
    try:
        code = run()
        sys.stdout.flush()
    except CommandError as error:
        report_error(sys.stderr, str(error), code=error.code, problems=error.problems)
        code = error.code
    except BrokenPipeError:
        code = closed()
    raise typer.Exit(code)


def closed() -> Exit:
    """Return the code for output that nobody reads any more (`head`, a pager); buffered output is discarded."""
    # Python flushes stdout again when it exits, and would then report the broken pipe.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.CLOSED
