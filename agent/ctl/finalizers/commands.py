"""``failctl finalizers``: what our finalizer holds."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from agent.ctl.console.exits import Exit, end

finalizers = typer.Typer(
    name="finalizers", help="Pods that our finalizer holds.", no_args_is_help=True, rich_markup_mode=None
)

Kubeconfig = Annotated[Path | None, typer.Option("--kubeconfig", help="Default: your own.", metavar="FILE")]
Context = Annotated[str | None, typer.Option("--context", help="Default: the current one.", metavar="NAME")]
Url = Annotated[str | None, typer.Option("--url", help="An API server without credentials.", metavar="URL")]


@finalizers.command("list")
def finalizers_list(
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    url: Url = None,
    namespace: Annotated[str, typer.Option("-n", "--namespace", help="Only there; default: everywhere.")] = "",
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
) -> None:
    """List the pods that carry our finalizer, since when, and why."""

    def run() -> Exit:
        from agent.ctl.finalizers.finalizers import ApiServerAddress, ListRequest, list_held

        where = ApiServerAddress(kubeconfig=kubeconfig, context=context, url=url)
        request = ListRequest(where=where, namespace=namespace, output=output)
        return list_held(request, clock=lambda: datetime.now(UTC), out=sys.stdout)

    end(run)


@finalizers.command("release")
def finalizers_release(
    targets: Annotated[list[str], typer.Argument(metavar="NAMESPACE/POD...", help="NAMESPACE alone: all its pods.")],
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    url: Url = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, only say what would be done.")] = False,
) -> None:
    """Take our finalizer off pods. What was not reported of them may be lost with them."""

    def run() -> Exit:
        from agent.ctl.finalizers.finalizers import ApiServerAddress, ReleaseRequest
        from agent.ctl.finalizers.finalizers import release as run_release

        where = ApiServerAddress(kubeconfig=kubeconfig, context=context, url=url)
        return run_release(ReleaseRequest(targets=targets, where=where, yes=yes), out=sys.stdout, err=sys.stderr)

    end(run)
