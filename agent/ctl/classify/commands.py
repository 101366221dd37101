"""``failctl classify``."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

import typer

from agent.console.exits import Exit, UsageError, end
from agent.console.options import ApiServer, Context, Kubeconfig, ListOutput, MaybeFilenames, MaybePolicies, Rules
from agent.console.program import Command, add
from agent.console.terminal import visible
from agent.ctl.destination import ApiServerAddress
from agent.ctl.filter_options import options_of

if TYPE_CHECKING:
    from agent.ctl.classify.answers import Shown
    from agent.ctl.classify.policies import AskedPolicies


_FILTERS: Final = "filters"


class Classify(Command):
    """``classify``: ``--explain`` without a value means ``near``.

    Its filters are made when it runs, because their types take 12 ms to import. typer passes on only what it knows from
    the function, so they are in ``meta`` of the context.
    """

    value_left_out: ClassVar[Mapping[str, str]] = {"--explain": "near"}

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._filters: list[Any] = []

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - typer does not export its type
        """Give the parameters, the filters after ``--failed``."""
        from agent.store.records.filters import filters_of_pods

        self._filters = self._filters or options_of(filters_of_pods())
        own: list[Any] = super().get_params(ctx)
        at = next(at for at, param in enumerate(own, start=1) if param.name == "failed")
        return [*own[:at], *self._filters, *own[at:]]

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as above
        """Run the command, with the filters in ``meta``."""
        ctx.meta[_FILTERS] = {param.name: ctx.params.pop(param.name, None) for param in self._filters}
        return super().invoke(ctx)


def add_commands(app: typer.Typer) -> None:
    """Add the command to the program."""
    add(
        app,
        "kubectl get pod my-pod -o yaml | failctl classify -f -",
        "failctl classify -f pods.json --rules my-rules.yaml --explain",
        "failctl classify -f pod.json --policies retry-policy.yaml",
        "failctl classify -f pods.json --origin infra --sort-by -count",
        "failctl classify -f pods.json --count-by category,node",
        "failctl classify pod train-0 -n team-a --logs",
        cls=Classify,
    )(classify)


Target = Annotated[
    list[str] | None,
    typer.Argument(help="Pods of a cluster, with their events, node and owners.", metavar="[pod NAME...]"),
]
OfPods = Annotated[str, typer.Option("-n", "--namespace", help="Where the pods are; default: default.", metavar="NAME")]
Logs = Annotated[bool, typer.Option("--logs", help="Also read the ends of failed containers' logs.")]
QueuePolicies = Annotated[
    str | None, typer.Option("--queue-policies", help="Those of the job's queue: a,b. Default: all.", metavar="NAMES")
]
FailedBefore = Annotated[
    int | None,
    typer.Option(
        "--failed-before",
        min=0,
        help="Runs of the job that failed before, like this one. Default: as the pod's labels or its Job say, else 0.",
        metavar="NUMBER",
    ),
]
SortBy = Annotated[
    str | None,
    typer.Option(
        "--sort-by", help="In the order of this column, such as node; -node: the last first.", metavar="COLUMN"
    ),
]
CountBy = Annotated[
    str | None,
    typer.Option("--count-by", help="Count failures by these columns, such as category,node.", metavar="COLUMNS"),
]
Unfold = Annotated[
    bool, typer.Option("--unfold", help="A line for each pod, also where the same happened to several of a workload.")
]
Failed = Annotated[bool, typer.Option("--failed", help="Only pods that failed, as a list.")]
ExplainRules = Annotated[
    Literal["near", "all"] | None,
    typer.Option("--explain", help="Show rules that matched, and the nearest that did not; --explain=all: each."),
]


def classify(  # noqa: PLR0913 - each is an option of its own
    ctx: typer.Context,
    target: Target = None,
    *,
    files: MaybeFilenames = None,
    namespace: OfPods = "",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    url: ApiServer = None,
    logs: Logs = False,
    rules: Rules = None,
    policies: MaybePolicies = None,
    queue_policies: QueuePolicies = None,
    failed_before: FailedBefore = None,
    failed: Failed = False,
    sort_by: SortBy = None,
    count_by: CountBy = None,
    unfold: Unfold = False,
    explain: ExplainRules = None,
    output: ListOutput = "table",
) -> None:
    """Explain why pods failed, in files or in a cluster.

    Files (-f): a Pod, a List, JSON lines, several YAML documents, what `kubectl get pods -o json|yaml` prints, bundles
    {"pod", "events", "node", "logs", "owners"} and bare evidence
    {"message"|"event"|"events"|"node"|"logs": ...}. Jobs and JobSets of the same input say what follows for their pods.

    A cluster (pod NAME...): reads what your kubeconfig allows; everything else is shown as missing.

    A pod that has not failed and is not ready is neither: the answer is for what it waits, since when, why, and after
    how long an agent with default settings gives it up; or that its state is not known.

    Will it be retried? With --policies each failure gets the verdict that a scheduler would give: whether, when, where
    and with how much memory the job runs again, which rule decides, and what was assumed.

    Exits with code 0 whatever the answers are, 1 where a pod is not there, 2 where an object cannot be read.
    """

    def run() -> Exit:
        from agent.ctl.classify.answers import Shown
        from agent.ctl.classify.policies import asked_policies
        from agent.ctl.classify.wanted import Wanted, read_filter

        where = ApiServerAddress(kubeconfig=kubeconfig, context=context, url=url)
        check_sources(target or (), files or (), where=where, namespace=namespace, logs=logs)
        asked = asked_policies(policies, queue_policies, failed_before)
        wanted = Wanted(failed=failed, filter=read_filter(ctx.meta[_FILTERS]))
        shown = Shown(form=output, explain=explain, wanted=wanted, decided=asked is not None, unfold=unfold)
        shown = shown.sorted_by(sort_by) if count_by is None else shown.counted_by(count_by, sort_by=sort_by)
        if files:
            return _classify_files(files, rules, asked, shown)
        names = pod_names(target or ())
        return _classify_pods(names, namespace, where, logs=logs, rules=rules, asked=asked, shown=shown)

    end(run)


def _classify_files(files: list[str], rules: Path | None, asked: "AskedPolicies | None", shown: "Shown") -> Exit:
    from agent.ctl.classify.classify import ClassifyRequest
    from agent.ctl.classify.classify import run as run_files

    request = ClassifyRequest(files=files, rules=rules, asked=asked, shown=shown)
    return run_files(request, out=sys.stdout, err=sys.stderr)


def _classify_pods(
    names: Sequence[str],
    namespace: str,
    where: ApiServerAddress,
    *,
    logs: bool,
    rules: Path | None,
    asked: "AskedPolicies | None",
    shown: "Shown",
) -> Exit:
    from agent.ctl.classify.pods import PodsRequest
    from agent.ctl.classify.pods import run as run_pods

    request = PodsRequest(
        names=names, namespace=namespace, where=where, rules=rules, logs=logs, asked=asked, shown=shown
    )
    return run_pods(request, out=sys.stdout, err=sys.stderr)


def check_sources(
    target: Sequence[str], files: Sequence[str], *, where: ApiServerAddress, namespace: str, logs: bool
) -> None:
    """Raise UsageError unless either pods of a cluster or files are named."""
    if bool(target) == bool(files):
        raise UsageError("name files of pods with -f, or pods of a cluster with pod NAME -n NAMESPACE")
    if files and (where != ApiServerAddress() or namespace or logs):
        raise UsageError("-n, --kubeconfig, --context, --url and --logs are about pods of a cluster, not about files")


def pod_names(words: Sequence[str]) -> Sequence[str]:
    """The names behind the word ``pod``. Raises UsageError."""
    kind, *names = words
    if kind not in {"pod", "pods"} or not names or "" in names:
        raise UsageError(f"{visible(' '.join(words))}: write pod NAME, or name files of pods with -f")
    return names
