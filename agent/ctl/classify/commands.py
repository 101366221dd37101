"""``failctl classify``."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from agent.console.exits import Exit, end
from agent.console.options import ApiServer, Context, Kubeconfig, ListOutput, MaybeFilenames, Rules
from agent.console.program import Command, add

if TYPE_CHECKING:
    from agent.ctl.api_server import ApiServerAddress
    from agent.ctl.classify.answers import Shown


class Classify(Command):
    """``classify``: of ``--explain`` the nearest rules are meant."""

    value_left_out: ClassVar[Mapping[str, str]] = {"--explain": "near"}


def add_commands(app: typer.Typer) -> None:
    """Add the command to the program."""
    add(
        app,
        "kubectl get pod my-pod -o yaml | failctl classify -f -",
        "failctl classify -f pods.json --rules my-rules.yaml --explain",
        "failctl classify pod train-0 -n team-a --logs",
        cls=Classify,
    )(classify)


def classify(  # noqa: PLR0913, PLR0917 - each is an option of its own
    target: Annotated[
        list[str] | None,
        typer.Argument(help="Pods of a cluster, with their events, node and owners.", metavar="[pod NAME...]"),
    ] = None,
    files: MaybeFilenames = None,
    namespace: Annotated[
        str, typer.Option("-n", "--namespace", help="Where the pods are; default: default.", metavar="NAME")
    ] = "",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    url: ApiServer = None,
    logs: Annotated[bool, typer.Option("--logs", help="Also read the ends of failed containers' logs.")] = False,
    rules: Rules = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only pods that failed, as a list.")] = False,
    explain: Annotated[
        Literal["near", "all"] | None,
        typer.Option("--explain", help="Show rules that matched, and the nearest that did not; --explain=all: each."),
    ] = None,
    output: ListOutput = "table",
) -> None:
    """Explain why pods failed, in files or in a cluster.

    Files (-f): a Pod, a List, JSON lines, several YAML documents, what `kubectl get pods -o json|yaml` prints, bundles
    {"pod", "events", "node", "logs", "owners"} and bare evidence
    {"message"|"event"|"events"|"node"|"logs": ...}.

    A cluster (pod NAME...): reads what your kubeconfig allows; everything else is shown as missing.
    """

    def run() -> Exit:
        from agent.ctl.api_server import ApiServerAddress
        from agent.ctl.classify.answers import Shown
        from agent.ctl.classify.sources import one_source

        where = ApiServerAddress(kubeconfig=kubeconfig, context=context, url=url)
        one_source(target or (), files or (), where=where, namespace=namespace, logs=logs)
        shown = Shown(form=output, explain=explain, failed=failed)
        if files:
            return _classify_files(files, rules, shown)
        return _classify_pods(target or (), namespace, where, logs=logs, rules=rules, shown=shown)

    end(run)


def _classify_files(files: list[str], rules: Path | None, shown: "Shown") -> Exit:
    from agent.ctl.classify.classify import ClassifyRequest
    from agent.ctl.classify.classify import run as run_files

    return run_files(ClassifyRequest(files=files, rules=rules, shown=shown), out=sys.stdout, err=sys.stderr)


def _classify_pods(
    target: Sequence[str], namespace: str, where: "ApiServerAddress", *, logs: bool, rules: Path | None, shown: "Shown"
) -> Exit:
    from agent.ctl.classify.pods import PodsRequest
    from agent.ctl.classify.pods import run as run_pods
    from agent.ctl.classify.sources import pod_names

    names = pod_names(target)
    request = PodsRequest(names=names, namespace=namespace, where=where, rules=rules, logs=logs, shown=shown)
    return run_pods(request, out=sys.stdout, err=sys.stderr)
