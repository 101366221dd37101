"""How ``failctl`` exits: stable exit codes, and the errors that lead to them."""

import sys
from collections.abc import Callable
from enum import IntEnum

import typer


class Exit(IntEnum):
    """0 fine, 1 something was found, 2 wrong usage, 3 a server or store cannot be reached."""

    FINE = 0
    FINDING = 1
    USAGE = 2
    UNREACHABLE = 3


class UsageError(Exception):
    """The command cannot run as given; the message says what to change. Exits with code 2."""


class UnreachableError(Exception):
    """A server or store does not answer; the message names it. Exits with code 3."""


def end(run: Callable[[], Exit]) -> None:
    """Run a command and exit with its code; its errors go to standard error without a traceback."""
    try:
        code = run()
    except UsageError as error:
        typer.echo(f"failctl: {error}", err=True)
        code = Exit.USAGE
    except UnreachableError as error:
        typer.echo(f"failctl: {error}", err=True)
        code = Exit.UNREACHABLE
    except BrokenPipeError:
        # The reader (`head`, a pager) has closed the pipe. Closing stderr spares a second error from Python at exit.
        sys.stderr.close()
        code = Exit.FINE
    raise typer.Exit(code)
