"""How a command ends: its exit code, and errors for people as one line on standard error."""

import sys
from collections.abc import Callable

import typer

from agent.ctl.exits import Exit, UnreachableError, UsageError


def end(run: Callable[[], Exit]) -> None:
    """Run a command and end with its code."""
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
