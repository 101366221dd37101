"""The options that mean the same in every command, and what ``--yes`` and ``--dry-run`` allow."""

import sys
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from agent.console.exits import UsageError

_FILENAMES: Final = typer.Option(
    "-f", "--filename", help="What to work on: a file, a folder, or - for standard input; repeatable.", metavar="FILE"
)

Filenames = Annotated[list[str], _FILENAMES]
"""What to work on; may be given several times."""

MaybeFilenames = Annotated[list[str] | None, _FILENAMES]
"""What to work on, if it can also be named in another way."""

Rules = Annotated[Path | None, typer.Option("--rules", help="A rule file; default: the shipped one.", metavar="FILE")]
_POLICIES: Final = typer.Option("--policies", help="Files of retry policies.", metavar="FILE")
Policies = Annotated[list[Path], _POLICIES]
MaybePolicies = Annotated[list[Path] | None, _POLICIES]

SchedulerSettings = Annotated[Path | None, typer.Option("--settings", help="The scheduler's settings.", metavar="FILE")]
ApiSettings = Annotated[
    Path | None,
    typer.Option("--settings", help="The scheduler's settings, which say where its API is.", metavar="FILE"),
]
ProcessSettings = Annotated[
    Path | None,
    typer.Option("--settings", help="Settings of the scheduler, of a Lookout or of an agent.", metavar="FILE"),
]
"""Where only the broker is needed, which all of them have."""

StoreUrl = Annotated[str | None, typer.Option("--store", help="The scheduler's store.", metavar="URL")]
BrokerUrl = Annotated[str | None, typer.Option("--broker", help="The broker.", metavar="URL")]

Server = Annotated[
    str | None,
    typer.Option(
        "--server", help="The scheduler's API; default: the context's, else this machine's.", metavar="HOST:PORT"
    ),
]
Lookout = Annotated[
    str | None,
    typer.Option("--lookout", help="Ask this Lookout instead; default: the context's.", metavar="URL"),
]
InContext = Annotated[
    str | None, typer.Option("--context", help="Which context; default: the current one.", metavar="NAME")
]

Details = Annotated[bool, typer.Option("--details", help="Show more.")]
Every = Annotated[bool, typer.Option("--all", help="All of them.")]

Kubeconfig = Annotated[
    Path | None, typer.Option("--kubeconfig", help="How to reach the cluster; default: your own.", metavar="FILE")
]
Context = Annotated[
    str | None, typer.Option("--context", help="Which context of it; default: the current one.", metavar="NAME")
]
ApiServer = Annotated[str | None, typer.Option("--url", help="An API server without credentials.", metavar="URL")]
Namespace = Annotated[
    str, typer.Option("-n", "--namespace", help="Only in this namespace; default: in all.", metavar="NAME")
]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]

_OUTPUT: Final = typer.Option("-o", "--output", help="The form of the output.")

Form = Literal["table", "json"]
Output = Annotated[Form, _OUTPUT]

DocumentForm = Literal["table", "json", "yaml"]
DocumentOutput = Annotated[DocumentForm, _OUTPUT]

ListForm = Literal["table", "wide", "json", "jsonl", "yaml", "name"]
ListOutput = Annotated[ListForm, _OUTPUT]
"""Wherever a list is printed."""


def may_change(question: str, *, yes: bool, dry_run: bool) -> bool:
    """Ask before something is changed: ``--yes`` means yes, ``--dry-run`` no, else the user at the terminal answers.

    Raises UsageError if both options are given, and if neither is and standard input is not a terminal.
    """
    if yes and dry_run:
        raise UsageError("--yes and --dry-run exclude each other; give one")
    if yes or dry_run:
        return yes
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"{question} Add --yes to do it, or --dry-run to see what would be done")
    return typer.confirm(question, err=True)


def names_in(written: str | None) -> tuple[str, ...] | None:
    """The names of an option such as ``a,b``; ``None`` if it was not given."""
    return None if written is None else tuple(name.strip() for name in written.split(",") if name.strip())
