"""The command line of ``failctl create``, ``apply``, ``update``, ``delete`` and the other commands for resources."""

import os
import sys
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer

from agent.console.exits import Exit, end
from agent.console.options import ApiSettings, DryRun, InContext, Lookout, MaybeFilenames, Server
from agent.console.program import add
from agent.ctl.resources.completion import complete_kind, complete_name
from agent.ctl.resources.kinds import PRINTED, read_kind

_KINDS: Final = f"{', '.join(PRINTED[:-1])} or {PRINTED[-1]}."

KindArgument = Annotated[str, typer.Argument(help=_KINDS, metavar="KIND", autocompletion=complete_kind)]
MaybeKind = Annotated[str | None, typer.Argument(help=_KINDS, metavar="[KIND", autocompletion=complete_kind)]
MaybeName = Annotated[
    str | None, typer.Argument(help="The name of a queue.", metavar="NAME]", autocompletion=complete_name)
]
NameArgument = Annotated[str, typer.Argument(help="Its name.", metavar="NAME", autocompletion=complete_name)]
Names = Annotated[
    list[str], typer.Argument(help="Its name, or several.", metavar="NAME...", autocompletion=complete_name)
]
Version = Annotated[
    int, typer.Option("--version", min=0, help="Refuse it unless this is the version.", metavar="NUMBER")
]
RetryPolicies = Annotated[
    str | None,
    typer.Option(
        "--retry-policy",
        "--retry-policies",
        help="The retry policies of the queue, separated by commas; '' for none.",
        metavar="NAMES",
    ),
]
Priority = Annotated[float | None, typer.Option("--priority", help="The priority factor.", metavar="NUMBER")]
MaxActiveRuns = Annotated[
    int | None, typer.Option("--max-active-runs", min=0, help="The most runs at once.", metavar="NUMBER")
]
ApplyToJobs = Annotated[
    bool | None,
    typer.Option("--apply-to-jobs/--no-apply-to-jobs", help="Whether its policies apply to Kubernetes Jobs, too."),
]
Replace = Annotated[bool, typer.Option("--replace", help="Replace what exists.")]


def add_commands(app: typer.Typer) -> None:
    """Add every command to the program."""
    for command, examples in _COMMANDS:
        add(app, *examples)(command)


def create(  # noqa: PLR0913 - an option each
    *,
    kind: MaybeKind = None,
    name: MaybeName = None,
    files: MaybeFilenames = None,
    retry_policies: RetryPolicies = None,
    priority: Priority = None,
    max_active_runs: MaxActiveRuns = None,
    apply_to_jobs: ApplyToJobs = None,
    replace: Replace = False,
    dry_run: DryRun = False,
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
) -> None:
    """Create resources: retry policies, queues, error rules.

    From files, or a queue from options.
    """
    _put("create", locals())


def update(  # noqa: PLR0913 - an option each
    *,
    kind: MaybeKind = None,
    name: MaybeName = None,
    files: MaybeFilenames = None,
    retry_policies: RetryPolicies = None,
    priority: Priority = None,
    max_active_runs: MaxActiveRuns = None,
    apply_to_jobs: ApplyToJobs = None,
    version: Version = 0,
    dry_run: DryRun = False,
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
) -> None:
    """Replace resources by files, or change a queue.

    A change of a queue by options keeps what they do not name.
    """
    _put("update", locals())


def apply(
    *,
    files: MaybeFilenames = None,
    dry_run: DryRun = False,
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
) -> None:
    """Create or replace resources.

    What is the same already stays as it is.
    """
    _put("apply", locals())


def delete(  # noqa: PLR0913 - an option each
    *,
    kind: KindArgument,
    names: Names,
    version: Version = 0,
    detach: Annotated[bool, typer.Option("--detach", help="Take a retry policy out of queues that name it.")] = False,
    ignore_not_found: Annotated[bool, typer.Option("--ignore-not-found", help="It is fine if there is none.")] = False,
    dry_run: DryRun = False,
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
) -> None:
    """Delete resources.

    A retry policy that queues name is refused.
    """

    def run() -> Exit:
        from agent.ctl.resources.change import DeleteRequest
        from agent.ctl.resources.change import delete as run_delete
        from agent.ctl.server import ServerChoice

        request = DeleteRequest(
            kind=read_kind(kind),
            names=names,
            version=version,
            detach=detach,
            allow_missing=ignore_not_found,
            dry_run=dry_run,
            where=ServerChoice(server=server, settings=settings, context=context),
        )
        return run_delete(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)


def describe(
    kind: KindArgument,
    names: Names,
    server: Server = None,
    settings: ApiSettings = None,
    lookout: Lookout = None,
    context: InContext = None,
) -> None:
    """Show all about resources.

    Who changed them when, what uses them, and their text.
    """

    def run() -> Exit:
        from agent.ctl.resources.show import ShowRequest
        from agent.ctl.resources.show import describe as run_describe
        from agent.ctl.server import ServerChoice

        where = ServerChoice(server=server, settings=settings, lookout=lookout, context=context)
        request = ShowRequest(kind=read_kind(kind), names=names, where=where)
        return run_describe(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)


def history(
    kind: KindArgument,
    name: NameArgument,
    server: Server = None,
    settings: ApiSettings = None,
    lookout: Lookout = None,
    context: InContext = None,
) -> None:
    """List the versions of a resource.

    Also after it was deleted.
    """
    _past("history", kind, name, (), server=server, settings=settings, lookout=lookout, context=context)


def rollback(
    kind: KindArgument,
    name: NameArgument,
    to: Annotated[int, typer.Option("--to", min=0, help="The version; default: the one before.", metavar="NUMBER")] = 0,
    *,
    dry_run: DryRun = False,
    server: Server = None,
    settings: ApiSettings = None,
    context: InContext = None,
) -> None:
    """Go back to an earlier version of a resource.

    Also after it was deleted. It becomes a new version.
    """
    _past("roll_back", kind, name, (to,), dry_run=dry_run, server=server, settings=settings, context=context)


def diff(
    *,
    kind: MaybeKind = None,
    name: MaybeName = None,
    versions: Annotated[
        list[int] | None, typer.Argument(help="One or two versions; default: the latest two.", metavar="[VERSION]...")
    ] = None,
    files: MaybeFilenames = None,
    server: Server = None,
    settings: ApiSettings = None,
    lookout: Lookout = None,
    context: InContext = None,
) -> None:
    """Compare files or versions of resources.

    Files are compared with what the scheduler has, versions with each other.

    The exit code is 1 if they differ.
    """
    where: dict[str, Any] = {"server": server, "settings": settings, "lookout": lookout, "context": context}
    if kind is not None and name is not None:
        _past("diff_versions", kind, name, tuple(versions or ()), **where)
        return

    def run() -> Exit:
        from agent.console.exits import UsageError
        from agent.ctl.resources.past import diff_files
        from agent.ctl.server import ServerChoice

        if not files:
            raise UsageError("compare what? -f FILE names documents, KIND NAME a resource")
        choice = ServerChoice(**where)
        return diff_files(files, choice, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)


def _put(verb: Any, given: dict[str, Any]) -> None:  # noqa: ANN401 - one of the three
    def run() -> Exit:
        from agent.ctl.resources.change import PutRequest, put
        from agent.ctl.resources.options import queue_fields, queue_named
        from agent.ctl.server import ServerChoice

        kind, queue = queue_named(verb, given.get("kind"), given.get("name"), files=bool(given["files"]))
        request = PutRequest(
            verb=verb,
            files=given["files"] or (),
            only=kind,
            queue=queue,
            fields=queue_fields(given, queue=queue),
            version=given.get("version", 0),
            replace=given.get("replace", False),
            dry_run=given["dry_run"],
            where=ServerChoice(server=given["server"], settings=given["settings"], context=given["context"]),
        )
        return put(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)


def _past(
    what: str,
    kind: str,
    name: str,
    versions: tuple[int, ...],
    *,
    dry_run: bool = False,
    **where: Any,
) -> None:
    """Run one of the commands about versions; ``where`` are the fields of a ServerChoice."""

    def run() -> Exit:
        from agent.ctl.resources import past
        from agent.ctl.server import ServerChoice

        calls = {"history": past.history, "roll_back": past.roll_back, "diff_versions": past.diff_versions}
        request = past.PastRequest(
            kind=read_kind(kind),
            name=name,
            versions=versions,
            dry_run=dry_run,
            where=ServerChoice(**where),
        )
        return calls[what](request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    end(run)


_COMMANDS = (
    (create, ("failctl create -f retry-policy.yaml", "failctl create queue ml --retry-policy infra,ml-training")),
    (apply, ("failctl apply -f resources/", "failctl get all -o yaml | failctl apply -f - --server localhost:18083")),
    (update, ("failctl update -f retry-policy.yaml --dry-run", "failctl update queue ml --retry-policy infra")),
    (describe, ("failctl describe retrypolicy infra", "failctl describe queue ml")),
    (delete, ("failctl delete retrypolicy infra", "failctl delete retrypolicy infra --detach")),
    (history, ("failctl history retrypolicy infra", "failctl history queue ml")),
    (rollback, ("failctl rollback retrypolicy infra", "failctl rollback retrypolicy infra --to 2")),
    (diff, ("failctl diff -f retry-policy.yaml", "failctl diff retrypolicy infra 1 2")),
)
