"""``failctl``: what people type. Each command loads what it needs when it runs, so that ``--help`` is quick."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent import __version__
from agent.ctl.broker_commands import broker
from agent.ctl.dlq_commands import dlq
from agent.ctl.ending import end
from agent.ctl.error_rule_commands import error_rule
from agent.ctl.exits import Exit
from agent.ctl.finalizer_commands import finalizers
from agent.ctl.job_commands import FeatureGates, jobs, jobsets
from agent.ctl.policy_commands import policy

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

Categories = Annotated[
    Path | None, typer.Option("-c", "--categories", help="Rule file; default: the one that ships.", metavar="FILE")
]


for _commands in (broker, dlq, error_rule, finalizers, jobs, jobsets, policy):
    app.add_typer(_commands)


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

    end(run)


@app.command()
def lint(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Rule files, retry policies, Jobs, JobSets; - is standard input.")
    ] = None,
    categories: Annotated[
        list[Path] | None,
        typer.Option("-c", "--categories", help="Rule files whose categories policies may name.", metavar="FILE"),
    ] = None,
    gates: FeatureGates = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
    settings: Annotated[
        Path | None,
        typer.Option("--settings", help="The cluster agent's: find also what rules need and they switch off."),
    ] = None,
) -> None:
    """Find every fault of rule files, retry policies, Jobs and JobSets, with line, column and the mend."""

    def run() -> Exit:
        from agent.ctl.lint import Wanted
        from agent.ctl.lint import run as run_lint
        from agent.ctl.switched import gates_switched

        on = gates_switched(gates or ())
        wanted = Wanted(files=files or (), categories=categories or (), gates=on, settings=settings, output=output)
        return run_lint(wanted, environ=os.environ, out=sys.stdout)

    end(run)


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

    end(run)


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

    end(run)


@app.command()
def decide(
    policies: Annotated[list[Path], typer.Option("-f", "--policy", help="Files of retry policies.", metavar="FILE")],
    history: Annotated[Path, typer.Option("--history", help="The scenario; - is standard input.", metavar="FILE")],
    queue_policies: Annotated[
        str | None, typer.Option("--queue-policies", help="The queue's, by name: a,b. Default: the scenario's, or all.")
    ] = None,
    annotation: Annotated[
        str | None, typer.Option("--annotation", help="Those the job's annotation names: a,b.")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
    whole: Annotated[bool, typer.Option("--all", help="All that each verdict was made of.")] = False,
) -> None:
    """Decide a course of failures by retry policies, verdict after verdict, without a cluster."""

    def run() -> Exit:
        from agent.ctl.decide import Request
        from agent.ctl.decide import run as run_decide

        request = Request(
            policies=tuple(policies),
            history=history,
            queue=_names(queue_policies),
            annotation=_names(annotation),
            output=output,
            whole=whole,
        )
        return run_decide(request, out=sys.stdout)

    end(run)


@app.command()
def schema(
    kind: Annotated[
        str,
        typer.Argument(
            help="categories, retrypolicy, settings, scenario, job, jobset, outcomes, errortable or errorcodes."
        ),
    ],
) -> None:
    """Print the JSON Schema of a kind of file, for editors."""

    def run() -> Exit:
        from agent.ctl.schema import run as run_schema

        return run_schema(kind, out=sys.stdout)

    end(run)


def _names(written: str | None) -> tuple[str, ...] | None:
    return None if written is None else tuple(name.strip() for name in written.split(",") if name.strip())


def main() -> None:
    """Run ``failctl``."""
    app()


if __name__ == "__main__":
    main()
