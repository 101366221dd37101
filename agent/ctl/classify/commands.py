"""``failctl classify`` and ``failctl evaluate``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.ctl.console.exits import Exit, end

Categories = Annotated[
    Path | None, typer.Option("-c", "--categories", help="Rule file; default: the one that ships.", metavar="FILE")
]


def classify(
    file: Annotated[Path, typer.Option("-f", "--file", help="Pods or evidence; - is standard input.", metavar="FILE")],
    categories: Categories = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table, wide, json, yaml or jsonl.")] = "table",
    explain: Annotated[bool, typer.Option("--explain", help="Show each rule, and why it matched or not.")] = False,
) -> None:
    """Say why pods failed.

    Takes a Pod, a List, JSON lines, several YAML documents, what `kubectl get pods -o json|yaml` prints, bundles
    {"pod": ..., "events": [...], "node": ...} and bare evidence {"message"|"event"|"events"|"node": ...}.
    """

    def run() -> Exit:
        from agent.ctl.classify.classify import ClassifyRequest
        from agent.ctl.classify.classify import run as run_classify

        request = ClassifyRequest(file=file, categories=categories, output=output, explain=explain)
        return run_classify(request, out=sys.stdout, err=sys.stderr)

    end(run)


def evaluate(
    file: Annotated[Path, typer.Argument(help="Labelled failures, one JSON object a line; - is standard input.")],
    categories: Categories = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
) -> None:
    """Score a rule file against labelled failures (labels: category, origin, retryable)."""

    def run() -> Exit:
        from agent.ctl.classify.evaluate import run as run_evaluate

        return run_evaluate(file, categories=categories, output=output, out=sys.stdout, err=sys.stderr)

    end(run)
