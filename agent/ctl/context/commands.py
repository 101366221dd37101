"""The command line of ``failctl context``."""

import os
import sys
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.program import add, make_app

context = make_app("context", "Choose the scheduler and the Lookout that commands talk to.")

Name = Annotated[str, typer.Argument(help="The name of the context.", metavar="NAME")]


@add(context, "failctl context list", "failctl context list --color never", name="list")
def list_() -> None:
    """List contexts; * is the current one."""

    def run() -> Exit:
        from agent.console.terminal import visible
        from agent.ctl.context.contexts import read_contexts

        found = read_contexts(os.environ)
        for context in found.contexts:
            mark = "*" if context.name == found.current else " "
            sys.stdout.write(f"{mark} {visible(context.name)}  {context.words()}\n")
        if not found.contexts:
            sys.stderr.write(f"There is no context in {found.file}.\n")
        return Exit.FINE

    end(run)


@add(
    context,
    "failctl context set east --server 127.0.0.1:8083",
    "failctl context set west --server localhost:18083 --lookout http://127.0.0.1:8085",
    name="set",
)
def set_(
    name: Name,
    server: Annotated[
        str | None, typer.Option("--server", help="The address of the scheduler's API.", metavar="HOST:PORT")
    ] = None,
    lookout: Annotated[str | None, typer.Option("--lookout", help="The address of a Lookout.", metavar="URL")] = None,
) -> None:
    """Add or change a context, and make it the current one.

    An address that is not given stays as it is.
    """

    def run() -> Exit:
        from dataclasses import replace

        from agent.ctl.context.contexts import changed, read_contexts, write_contexts

        found = read_contexts(os.environ)
        others = tuple(context for context in found.contexts if context.name != name)
        added = changed(found, name, server=server, lookout=lookout)
        write_contexts(replace(found, contexts=(*others, added), current=name))
        sys.stdout.write(f"Commands go to {added.words()} now\n")
        return Exit.FINE

    end(run)


@add(context, "failctl context use east", "failctl context use west")
def use(name: Name) -> None:
    """Make a context the current one."""

    def run() -> Exit:
        from dataclasses import replace

        from agent.ctl.context.contexts import read_contexts, write_contexts

        found = read_contexts(os.environ)
        chosen = found.named(name)
        write_contexts(replace(found, current=name))
        sys.stdout.write(f"Commands go to {chosen.words()} now\n")
        return Exit.FINE

    end(run)


@add(context, "failctl context delete east", "failctl context delete west")
def delete(name: Name) -> None:
    """Delete a context."""

    def run() -> Exit:
        from dataclasses import replace

        from agent.ctl.context.contexts import read_contexts, write_contexts

        found = read_contexts(os.environ)
        gone = found.named(name)
        left = tuple(context for context in found.contexts if context is not gone)
        write_contexts(replace(found, contexts=left, current=None if found.current == name else found.current))
        sys.stdout.write(f"Deleted context {name}\n")
        return Exit.FINE

    end(run)
