"""How ``failctl`` ends: stable exit codes, and the errors that lead to them."""

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
    """The command cannot be carried out as given; the message says what to change. Ends with code 2."""


class UnreachableError(Exception):
    """A server or store does not answer; the message names it. Ends with code 3."""


def end(run: Callable[[], Exit]) -> None:
    """Run a command and end with its code; errors for people are one line on standard error."""
    try:
        code = run()
    except UsageError as error:
        typer.echo(f"failctl: {error}", err=True)
        code = Exit.USAGE
    except UnreachableError as error:
        typer.echo(f"failctl: {error}", err=True)
        code = Exit.UNREACHABLE
    except BrokenPipeError:
        sys.stderr.close()
        code = Exit.FINE
    raise typer.Exit(code)
