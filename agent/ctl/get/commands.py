"""``failctl get`` as people type it."""

import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from agent.console.exits import Exit, end
from agent.console.options import InContext, ListOutput, SchedulerSettings, Server, StoreUrl
from agent.console.program import add, make_app
from agent.ctl.resources.kinds import meant, read_kind
from agent.manifests.resource.kind import Kind as ResourceKind

if TYPE_CHECKING:
    from agent.ctl.get.get import Kind


class _Get(TyperGroup):
    """Finds a command by its other names, too."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - typer does not export their types
        """Give the command of this name."""
        return super().get_command(ctx, meant(cmd_name))


get = make_app("get", "List jobs, failures, verdicts, orphans and resources.", cls=_Get)

Queue = Annotated[str | None, typer.Option("--queue", help="Of this queue.", metavar="NAME")]
JobSet = Annotated[str | None, typer.Option("--job-set", help="Of this job set.", metavar="NAME")]
Cluster = Annotated[str | None, typer.Option("--cluster", help="In this cluster.", metavar="NAME")]
Namespace = Annotated[str | None, typer.Option("-n", "--namespace", help="In this namespace.", metavar="NAME")]
Node = Annotated[str | None, typer.Option("--node", help="On this node.", metavar="NAME")]
Category = Annotated[
    str | None, typer.Option("--category", help="Of this category, or CATEGORY/SUBCATEGORY.", metavar="NAME")
]
OriginName = Literal["infra", "platform", "user", "unknown"]
Origin = Annotated[
    OriginName | None, typer.Option("--origin", help="Who caused the failure: infra is the node, user the job.")
]
GradeName = Literal["proven", "likely", "unknown"]
Grade = Annotated[
    GradeName | None,
    typer.Option("--grade", help="How well the advice is known. Failures that have no grade are in no such list."),
]
ExitCode = Annotated[int | None, typer.Option("--exit-code", help="With this exit code.", metavar="NUMBER")]
Container = Annotated[str | None, typer.Option("--container", help="Of this container.", metavar="NAME")]
ActionName = Literal["retry", "fail"]
Fingerprint = Annotated[
    str | None, typer.Option("--fingerprint", help="With this fingerprint: the same failure.", metavar="v1:DIGITS")
]
MaybeNames = Annotated[list[str] | None, typer.Argument(help="Names; default: all.", metavar="[NAME]...")]
KEYS = ("resource", "taint", "label", "quota", "claim", "image_part", "probe", "limit", "rank", "device")
Detail = Annotated[
    list[str] | None,
    typer.Option(
        "--detail",
        help="With this detail; may be repeated, and all must hold. The value must be the whole one. "
        f"KEY is {', '.join(KEYS[:-1])} or {KEYS[-1]}.",
        metavar="KEY=VALUE",
    ),
]
Action = Annotated[ActionName | None, typer.Option("--action", help="The verdict.")]
StateName = Literal[
    "any-failure",
    "still-failed",
    "recovered",
    "waiting",
    "queued",
    "leased",
    "pending",
    "running",
    "retry-waiting",
    "stopping",
    "succeeded",
    "failed",
    "cancelled",
]
State = Annotated[
    StateName | None,
    typer.Option(
        "--state",
        help="The state of the job: any-failure, still-failed, recovered or waiting, by what was observed; or queued, "
        "leased, pending, running, retry-waiting, stopping, succeeded, failed or cancelled.",
        metavar="STATE",
    ),
]
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
After = Annotated[str | None, typer.Option("--after", help="Continue where a list ended.", metavar="CURSOR")]


@add(
    get,
    "failctl get jobs --state still-failed --since 2h",
    "failctl get jobs --queue production --category memory/limit -o name",
)
def jobs(  # noqa: PLR0913 - an option each
    *,
    queue: Queue = None,
    job_set: JobSet = None,
    cluster: Cluster = None,
    namespace: Namespace = None,
    category: Category = None,
    origin: Origin = None,
    grade: Grade = None,
    exit_code: ExitCode = None,
    container: Container = None,
    action: Action = None,
    state: State = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 50,
    after: After = None,
    store: StoreUrl = None,
    settings: SchedulerSettings = None,
    server: Server = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """List jobs, what failed last and what was decided."""
    _list("jobs", locals())


@add(get, "failctl get runs --node node-7 --since 1d", "failctl get runs --job-set nightly -o wide")
def runs(  # noqa: PLR0913 - an option each
    *,
    queue: Queue = None,
    job_set: JobSet = None,
    cluster: Cluster = None,
    namespace: Namespace = None,
    node: Node = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 50,
    after: After = None,
    store: StoreUrl = None,
    settings: SchedulerSettings = None,
    server: Server = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """List runs, where each was and how far it got."""
    _list("runs", locals())


@add(
    get,
    "failctl get failures --node node-7",
    "failctl get failures --origin infra --since 1d -o jsonl",
    "failctl get failures --grade unknown --since 1d",
    "failctl get failures --category scheduling --detail resource=nvidia.com/gpu",
)
def failures(  # noqa: PLR0913 - an option each
    *,
    queue: Queue = None,
    job_set: JobSet = None,
    cluster: Cluster = None,
    namespace: Namespace = None,
    node: Node = None,
    category: Category = None,
    origin: Origin = None,
    grade: Grade = None,
    exit_code: ExitCode = None,
    container: Container = None,
    fingerprint: Fingerprint = None,
    detail: Detail = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 50,
    after: After = None,
    store: StoreUrl = None,
    settings: SchedulerSettings = None,
    server: Server = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """List failures, amendments and restarts in place."""
    _list("failures", locals())


@add(get, "failctl get verdicts --action fail --since 2h", "failctl get verdicts --queue production -o wide")
def verdicts(  # noqa: PLR0913 - an option each
    *,
    queue: Queue = None,
    job_set: JobSet = None,
    cluster: Cluster = None,
    namespace: Namespace = None,
    node: Node = None,
    category: Category = None,
    origin: Origin = None,
    grade: Grade = None,
    exit_code: ExitCode = None,
    container: Container = None,
    fingerprint: Fingerprint = None,
    detail: Detail = None,
    action: Action = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 50,
    after: After = None,
    store: StoreUrl = None,
    settings: SchedulerSettings = None,
    server: Server = None,
    context: InContext = None,
    output: ListOutput = "table",
) -> None:
    """List verdicts, by when their failures happened."""
    _list("verdicts", locals())


@add(get, "failctl get orphans", "failctl get orphans --cluster east -o wide")
def orphans(
    *,
    cluster: Cluster = None,
    namespace: Namespace = None,
    server: Server = None,
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

        where = ServerChoice(server=server, context=context)
        request = OrphansRequest(cluster=cluster, namespace=namespace, output=output, where=where)
        return run_get(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)


@add(get, "failctl get all", "failctl get all -o yaml > resources.yaml", name="all")
def everything(server: Server = None, context: InContext = None, output: ListOutput = "table") -> None:
    """List all resources.

    With -o yaml, what create -f takes.
    """
    _list_resources(None, None, output=output, server=server, context=context)


def _add_resources(kind: str, short: str) -> None:
    """Add a kind of resources; ``short`` is its shortest name."""

    def resources(
        names: MaybeNames = None, server: Server = None, context: InContext = None, output: ListOutput = "table"
    ) -> None:
        _list_resources(kind, names, output=output, server=server, context=context)

    resources.__doc__ = f"List resources of the kind {kind}; short: {short}."
    add(get, f"failctl get {kind}", f"failctl get {kind} NAME -o yaml", name=kind)(resources)


for _kind in ResourceKind:
    _add_resources(_kind.names[0], _kind.names[-1])


def _list_resources(
    kind: str | None, names: list[str] | None, *, output: ListOutput, server: str | None, context: str | None
) -> None:
    """Print resources for ``failctl get``."""

    def run() -> Exit:
        from agent.ctl.resources.show import ShowRequest, show
        from agent.ctl.server import ServerChoice

        request = ShowRequest(
            kind=None if kind is None else read_kind(kind),
            names=names or (),
            output=output,
            where=ServerChoice(server=server, context=context),
        )
        return show(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)


def _list(kind: "Kind", given: dict[str, Any]) -> None:
    """``given``: the command's options by name, each a filter or a member of the request."""

    def run() -> Exit:
        from agent.ctl.get.get import read_request
        from agent.ctl.get.get import run as run_get

        request = read_request(kind, given)
        return run_get(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout, err=sys.stderr)

    end(run)
