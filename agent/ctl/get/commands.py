"""``failctl get`` as people type it."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from agent.console.exits import Exit, end
from agent.console.options import ApiSettings, InContext, ListOutput, Lookout, SchedulerSettings, Server, StoreUrl
from agent.console.program import add, make_app, make_command_app
from agent.ctl.filter_options import signature_with
from agent.ctl.resources.kinds import meant, read_kind
from agent.manifests.resource.kind import Kind as ResourceKind


@dataclass(frozen=True, slots=True)
class _About:
    """What the help says of a list, and examples."""

    summary: str
    examples: Sequence[str]


_LISTS: Final[Mapping[str, _About]] = {
    "jobs": _About(
        "List jobs, what failed last and what was decided.",
        (
            "failctl get jobs --state still-failed --since 2h",
            "failctl get jobs --queue production --category memory/limit -o name",
        ),
    ),
    "runs": _About(
        "List runs, where each was and how far it got.",
        ("failctl get runs --node node-7 --since 1d", "failctl get runs --job-set nightly -o wide"),
    ),
    "failures": _About(
        "List failures, amendments and restarts in place.",
        (
            "failctl get failures --node node-7",
            "failctl get failures --origin infra --since 1d -o jsonl",
            "failctl get failures --grade unknown --since 1d",
            "failctl get failures --category scheduling --detail resource=nvidia.com/gpu",
            "failctl get failures --since 1d --count-by category,node",
        ),
    ),
    "verdicts": _About(
        "List verdicts, by when their failures happened.",
        ("failctl get verdicts --action fail --since 2h", "failctl get verdicts --queue production -o wide"),
    ),
}


class _Get(TyperGroup):
    """Finds a command by its other names, too, and makes that of a list only when it is asked for.

    The options of a list are its filters, whose types take 12 ms to import.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.commands: Any = {**dict.fromkeys(_LISTS), **self.commands}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - typer does not export their types
        """Give the command of this name."""
        return _list_command(cmd_name) if cmd_name in _LISTS else super().get_command(ctx, meant(cmd_name))

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer does not export their types
        """Write what each command does, without making it."""
        del ctx
        others = {name: command.get_short_help_str(_WHOLE) for name, command in self.commands.items() if command}
        with formatter.section("Commands"):
            formatter.write_dl([*((name, about.summary) for name, about in _LISTS.items()), *others.items()])


_WHOLE: Final = 1_000
"""Longer than the first sentence of any help."""

get = make_app("get", "List jobs, failures, verdicts, orphans and resources.", cls=_Get)

Cluster = Annotated[str | None, typer.Option("--cluster", help="In this cluster.", metavar="NAME")]
Namespace = Annotated[str | None, typer.Option("-n", "--namespace", help="In this namespace.", metavar="NAME")]
MaybeNames = Annotated[list[str] | None, typer.Argument(help="Names; default: all.", metavar="[NAME]...")]
Since = Annotated[
    str | None, typer.Option("--since", help="From this time on: 30m, 2h, 1d, or a date.", metavar="TIME")
]
Until = Annotated[str | None, typer.Option("--until", help="Before this time.", metavar="TIME")]
Limit = Annotated[
    int,
    typer.Option(
        "--limit", min=1, max=100_000, help="The largest number of rows; --after gives more.", metavar="NUMBER"
    ),
]
Watch = Annotated[
    bool,
    typer.Option(
        "--watch", help="Go on until Ctrl-C: a terminal always shows the list as it is, a pipe gets what changes in it."
    ),
]
Unfold = Annotated[
    bool, typer.Option("--unfold", help="A line for each failure, also where several of a job are the same.")
]
SortBy = Annotated[
    str | None,
    typer.Option(
        "--sort-by", help="In the order of this column, such as node or time; -node: the last first.", metavar="COLUMN"
    ),
]
CountBy = Annotated[
    str | None,
    typer.Option(
        "--count-by",
        help="Count all that fits by these columns, such as category,node; --limit is that of each level.",
        metavar="COLUMNS",
    ),
]
After = Annotated[str | None, typer.Option("--after", help="Continue where a list ended.", metavar="CURSOR")]


def _list_command(name: str) -> Any:  # noqa: ANN401 - typer does not export the type
    """The command of a list: its filters, then the options of all lists."""
    from agent.store.records.filters import filters_of

    def listed(**given: Any) -> None:
        _list(name, **given)

    known = signature_with(filters_of(name), _list, without=("name", *_LEFT_OUT.get(name, ())))
    listed.__signature__ = known  # type: ignore[attr-defined]  # for typer
    listed.__doc__ = _LISTS[name].summary
    app = make_command_app(name)
    add(app, *_LISTS[name].examples, name=name)(listed)
    return get_command(app)


_LEFT_OUT: Final[Mapping[str, Sequence[str]]] = {"jobs": ("unfold",), "runs": ("unfold",)}
"""Options that a list does not have."""


def _list(  # noqa: PLR0913 - an option each
    name: str,
    *,
    since: Since = None,
    until: Until = None,
    limit: Limit = 50,
    after: After = None,
    sort_by: SortBy = None,
    count_by: CountBy = None,
    unfold: Unfold = False,
    watch: Watch = False,
    store: StoreUrl = None,
    settings: SchedulerSettings = None,
    server: Server = None,
    lookout: Lookout = None,
    context: InContext = None,
    output: ListOutput = "table",
    **filters: Any,
) -> None:
    """List records, by options that all lists have, and ``filters`` by name."""
    given = {key: value for key, value in locals().items() if key not in ("name", "filters")}

    def run() -> Exit:
        from agent.ctl.get.request import read_request

        request = read_request(name, {**filters, **given})
        if watch:
            from agent.ctl.get.watch import run as run_watch

            return run_watch(
                request, environ=os.environ, clock=lambda: datetime.now(UTC), out=sys.stdout, err=sys.stderr
            )
        from agent.ctl.get.get import run as run_get

        return run_get(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)


@add(get, "failctl get orphans", "failctl get orphans --cluster east -o wide")
def orphans(
    *,
    cluster: Cluster = None,
    namespace: Namespace = None,
    server: Server = None,
    settings: ApiSettings = None,
    lookout: Lookout = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """List pods of runs that the scheduler did not start.

    They may run, and are never stopped. One that HOLDS a job keeps its next run back: delete the pod, or, if you are
    sure that it does not run, "failctl confirm-stopped UID".
    """

    def run() -> Exit:
        from agent.ctl.get.orphans import OrphansRequest
        from agent.ctl.get.orphans import run as run_get
        from agent.ctl.server import ServerChoice

        where = ServerChoice(server=server, settings=settings, lookout=lookout, context=context)
        request = OrphansRequest(cluster=cluster, namespace=namespace, output=output, where=where)
        return run_get(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)


@add(get, "failctl get all", "failctl get all -o yaml > resources.yaml", name="all")
def everything(
    server: Server = None,
    settings: ApiSettings = None,
    lookout: Lookout = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """List all resources.

    With -o yaml, what create -f takes.
    """
    _list_resources(None, None, output=output, server=server, settings=settings, lookout=lookout, context=context)


def _add_resources(kind: str, short: str) -> None:
    """Add a kind of resources; ``short`` is its shortest name."""

    def resources(
        names: MaybeNames = None,
        server: Server = None,
        settings: ApiSettings = None,
        lookout: Lookout = None,
        context: InContext = None,
        output: ListOutput = "table",
    ) -> None:
        _list_resources(kind, names, output=output, server=server, settings=settings, lookout=lookout, context=context)

    resources.__doc__ = f"List resources of the kind {kind}; short: {short}."
    add(get, f"failctl get {kind}", f"failctl get {kind} NAME -o yaml", name=kind)(resources)


for _kind in ResourceKind:
    _add_resources(_kind.names[0], _kind.names[-1])


def _list_resources(kind: str | None, names: list[str] | None, *, output: ListOutput, **where: Any) -> None:
    """Print resources for ``failctl get``; ``where`` are the fields of a ServerChoice."""

    def run() -> Exit:
        from agent.ctl.resources.show import ShowRequest, show
        from agent.ctl.server import ServerChoice

        request = ShowRequest(
            kind=None if kind is None else read_kind(kind),
            names=names or (),
            output=output,
            where=ServerChoice(**where),
        )
        return show(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)
