"""The command line of ``failctl finalizers``."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import ApiServer, Context, DryRun, Kubeconfig, ListOutput, Namespace, Yes
from agent.console.program import add, make_app

finalizers = make_app("finalizers", "List and release pods that our finalizer holds.")


@add(finalizers, "failctl finalizers list", "failctl finalizers list -n team-a -o name", name="list")
def list_command(
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    url: ApiServer = None,
    namespace: Namespace = "",
    output: ListOutput = "table",
) -> None:
    """List the pods that carry our finalizer, since when, and why."""

    def run() -> Exit:
        from agent.ctl.destination import ApiServerAddress
        from agent.ctl.finalizers.finalizers import ListRequest, list_held

        where = ApiServerAddress(kubeconfig=kubeconfig, context=context, url=url)
        request = ListRequest(where=where, namespace=namespace, output=output)
        return list_held(request, clock=lambda: datetime.now(UTC), out=sys.stdout)

    end(run)


@add(finalizers, "failctl finalizers release team-a/train-0 --yes", "failctl finalizers release team-a --dry-run")
def release(
    targets: Annotated[list[str], typer.Argument(metavar="NAMESPACE/POD...", help="NAMESPACE means all its pods.")],
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    url: ApiServer = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Remove our finalizer from pods.

    Failures that were not reported may be lost.
    """

    def run() -> Exit:
        from agent.console.options import may_change
        from agent.ctl.destination import ApiServerAddress
        from agent.ctl.finalizers.finalizers import ReleaseRequest, check_targets
        from agent.ctl.finalizers.finalizers import release as run_release

        check_targets(targets)
        question = "Release these pods? Failures that were not reported may be lost."
        confirmed = may_change(question, yes=yes, dry_run=dry_run)
        where = ApiServerAddress(kubeconfig=kubeconfig, context=context, url=url)
        return run_release(ReleaseRequest(targets=targets, where=where, yes=confirmed), out=sys.stdout, err=sys.stderr)

    end(run)
