"""``failctl classify`` and ``failctl evaluate``."""

import sys
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import Filenames, ListOutput, Output, Rules
from agent.console.program import add


def add_commands(app: typer.Typer) -> None:
    """Add the commands to the program."""
    add(
        app,
        "kubectl get pod my-pod -o yaml | failctl classify -f -",
        "failctl classify -f pods.json --rules my-rules.yaml --explain",
    )(classify)
    add(
        app,
        "failctl evaluate labelled.jsonl",
        "failctl evaluate labelled.jsonl --rules my-rules.yaml -o json",
    )(evaluate)


def classify(
    files: Filenames,
    rules: Rules = None,
    output: ListOutput = "table",
    explain: Annotated[bool, typer.Option("--explain", help="Show each rule, and why it matched or not.")] = False,
) -> None:
    """Say why pods failed.

    Takes a Pod, a List, JSON lines, several YAML documents, what `kubectl get pods -o json|yaml` prints, bundles
    {"pod": ..., "events": [...], "node": ...} and bare evidence {"message"|"event"|"events"|"node": ...}.
    """

    def run() -> Exit:
        from agent.ctl.classify.classify import ClassifyRequest
        from agent.ctl.classify.classify import run as run_classify

        request = ClassifyRequest(files=files, rules=rules, output=output, explain=explain)
        return run_classify(request, out=sys.stdout, err=sys.stderr)

    end(run)


def evaluate(
    files: Annotated[
        list[str],
        typer.Argument(help="Labelled failures, one JSON object a line; - is standard input.", metavar="FILE..."),
    ],
    rules: Rules = None,
    output: Output = "table",
) -> None:
    """Score a rule file on labelled failures.

    Labels are category, origin and retryable.
    """

    def run() -> Exit:
        from agent.ctl.classify.evaluate import run as run_evaluate

        return run_evaluate(files, rules=rules, output=output, out=sys.stdout, err=sys.stderr)

    end(run)
