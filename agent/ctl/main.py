"""``failctl``: what people type. Each command loads what it needs when it runs, so that ``--help`` is quick."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from agent import __version__
from agent.ctl.dlq_commands import dlq
from agent.ctl.ending import end as _end
from agent.ctl.exits import Exit

app = typer.Typer(
    name="failctl",
    help="Why did it fail, and what happens next? Reads pods, rule files and the scheduler's store.",
    epilog="Exit codes: 0 fine, 1 something was found, 2 wrong usage, 3 unreachable.",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

finalizers = typer.Typer(help="Pods that our finalizer holds.", no_args_is_help=True)
app.add_typer(finalizers, name="finalizers")
app.add_typer(dlq, name="dlq")

Kubeconfig = Annotated[Path | None, typer.Option("--kubeconfig", help="Default: your own.", metavar="FILE")]
Context = Annotated[str | None, typer.Option("--context", help="Default: the current one.", metavar="NAME")]
Url = Annotated[str | None, typer.Option("--url", help="An API server without credentials.", metavar="URL")]
Categories = Annotated[
    Path | None, typer.Option("-c", "--categories", help="Rule file; default: the one that ships.", metavar="FILE")
]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    if version:
        typer.echo(f"failctl {__version__}")
        raise typer.Exit


@app.command()
def classify(
    file: Annotated[Path, typer.Option("-f", "--file", help="Pods or evidence; - is standard input.", metavar="FILE")],
    categories: Categories = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table, wide, json, yaml or jsonl.")] = "table",
    explain: Annotated[bool, typer.Option("--explain", help="Each rule looked at, and why it matched or not.")] = False,
) -> None:
    """Say why pods failed.

    Takes a Pod, a List, JSON lines, several YAML documents, what `kubectl get pods -o json|yaml` prints, bundles
    {"pod": ..., "events": [...], "node": ...} and bare evidence {"message"|"event"|"events"|"node": ...}.
    """

    def run() -> Exit:
        from agent.ctl.classify import Request
        from agent.ctl.classify import run as run_classify

        request = Request(file=file, categories=categories, output=output, explain=explain)
        return run_classify(request, out=sys.stdout, err=sys.stderr)

    _end(run)


@app.command()
def lint(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Rule files and retry policies; - is standard input.")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
    settings: Annotated[
        Path | None,
        typer.Option("--settings", help="The cluster agent's: find also what rules need and they switch off."),
    ] = None,
) -> None:
    """Find every fault of rule files and retry policies, with line, column and the mend."""

    def run() -> Exit:
        from agent.ctl.lint import Wanted
        from agent.ctl.lint import run as run_lint

        wanted = Wanted(files=files or (), settings=settings, output=output)
        return run_lint(wanted, environ=os.environ, out=sys.stdout)

    _end(run)


@app.command()
def evaluate(
    file: Annotated[Path, typer.Argument(help="Labelled failures, one JSON object a line; - is standard input.")],
    categories: Categories = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
) -> None:
    """Score a rule file against labelled failures (labels: category, origin, retryable)."""

    def run() -> Exit:
        from agent.ctl.evaluate import run as run_evaluate

        return run_evaluate(file, categories=categories, output=output, out=sys.stdout, err=sys.stderr)

    _end(run)


@app.command()
def explain(
    identifier: Annotated[str, typer.Argument(metavar="JOB|RUN", help="The id of a job, or of one of its runs.")],
    store: Annotated[str | None, typer.Option("--store", help="The scheduler's store.", metavar="URL")] = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", help="The scheduler's settings, which name it.", metavar="FILE")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table, json or yaml.")] = "table",
    whole: Annotated[bool, typer.Option("--all", help="Every run, and all that its verdict was made of.")] = False,
) -> None:
    """Tell what happened to a job, run after run, what was decided, and why."""

    def run() -> Exit:
        from agent.ctl.explain import Request
        from agent.ctl.explain import run as run_explain

        request = Request(identifier=identifier, store=store, settings=settings, output=output, whole=whole)
        return run_explain(request, environ=os.environ, out=sys.stdout, err=sys.stderr)

    _end(run)


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
        from agent.ctl.finalizers import ListRequest, Where, list_held

        where = Where(kubeconfig=kubeconfig, context=context, url=url)
        request = ListRequest(where=where, namespace=namespace, output=output)
        return list_held(request, clock=lambda: datetime.now(UTC), out=sys.stdout)

    _end(run)


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
        from agent.ctl.finalizers import ReleaseRequest, Where
        from agent.ctl.finalizers import release as run_release

        where = Where(kubeconfig=kubeconfig, context=context, url=url)
        return run_release(ReleaseRequest(targets=targets, where=where, yes=yes), out=sys.stdout, err=sys.stderr)

    _end(run)


def main() -> None:
    """Run ``failctl``."""
    app()


if __name__ == "__main__":
    main()
