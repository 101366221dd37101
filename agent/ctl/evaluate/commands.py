"""``failctl evaluate``."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from agent.console.exits import Exit, UsageError, end
from agent.console.options import Form, Output, Rules
from agent.console.program import add

if TYPE_CHECKING:
    from agent.evaluate.evaluation import Scoring


def add_commands(app: typer.Typer) -> None:
    """Add the command to the program."""
    add(
        app,
        "failctl evaluate examples.jsonl --rules my-rules.yaml",
        "failctl evaluate corpus.jsonl --fail-under 80 -o json",
        "failctl evaluate corpus.jsonl --without-source",
        "failctl evaluate corpus.jsonl --without-pack",
        "failctl evaluate --successful --rules my-rules.yaml",
    )(evaluate)


Labelled = Annotated[
    list[str] | None,
    typer.Argument(help="Labelled failures, one JSON object a line; - is standard input.", metavar="[FILE...]"),
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        min=0,
        max=100,
        help="Score a corpus instead; exit with 1 if a smaller share of leaves is right.",
        metavar="PERCENT",
    ),
]
WithoutSource = Annotated[
    bool, typer.Option("--without-source", help="Score it also without the rules that rest on a failure's own source.")
]
WithoutPack = Annotated[
    bool, typer.Option("--without-pack", help="Score it also without the pack that decides a failure.")
]
Successful = Annotated[
    bool, typer.Option("--successful", help="Instead: what the rules blame in the shipped logs of successful runs.")
]


def evaluate(
    files: Labelled = None,
    rules: Rules = None,
    fail_under: FailUnder = None,
    without_source: WithoutSource = False,
    without_pack: WithoutPack = False,
    successful: Successful = False,
    output: Output = "table",
) -> None:
    """Test a rule file on failures that you have labelled.

    Each is what classify -f takes, and its labels: a line of JSON, or a document of YAML.

    \b
      {"id": "ledger-1", "message": "the ledger is locked",
       "labels": {"category": "billing/ledger-locked"}}

    A failure passes if the answer has all that its labels say. Of one that fails you see which rule won, and how near
    the expected one came; the exit code is 1. category may be a category alone, which all of its subcategories fit, or
    none/success, none/waiting or none/unknown. The other labels may be left out: origin, retryable (whether an
    unchanged retry helps), keyLine (the line that decides, of a long output), grade, and state (failed, waits,
    not-known).

    With --fail-under, --without-source or --without-pack the failures are scored as a corpus. Intervals are of 95 %;
    those of grades are by source. HARD are failures with "hard": true. The words:

    \b
    leaf                    category and subcategory
    wrong retryable         a retry is advised, and cannot help
      uncorroborated        of these: only a program's text blames the system
    wrong hopeless          "never" is advised, and a retry helps
    changed, yet retryable  a change is advised, and a retry helps
    no answer or advice     no rule matches, or its category has no advice
    key line                the line that decides in a long output
    wrong never             "never" or a change is advised, and a retry helps
    wrong retry             as wrong retryable, with intervals by source
    try where it helps      one retry is advised, and it helps
    try where hopeless      one retry is advised, and it cannot help
    origin named            the answer blames somebody
    infra falsely named     it blames infrastructure, the label another
    constant, exit code     baselines: the most frequent label of all, or of
                            all failures with the same exit code

    With --successful: read the ends of logs of builds, tests, installs and servers that succeeded as those of a pod
    that exited with code 1. A rule that then blames infrastructure or the platform is wrong: exits with code 1.
    """  # noqa: D301 - the mark of typer for text that is not to be wrapped

    def run() -> Exit:
        from agent.evaluate.evaluation import Scoring

        leave_out: Literal["source", "pack"] | None = "source" if without_source else "pack" if without_pack else None
        scoring = Scoring(leave_out=leave_out, fail_under=fail_under)
        if successful and not files and not scoring.is_wanted:
            return _on_successful_runs(rules, output)
        if successful or not files:
            raise UsageError("give files with labelled failures, or --successful alone, with --rules at most")
        if without_source and without_pack:
            raise UsageError("give --without-source or --without-pack, not both")
        return _on_labelled(files, rules, output, scoring)

    end(run)


def _on_successful_runs(file: Path | None, output: Form) -> Exit:
    from agent.ctl.rule_file import compile_named, load_rules
    from agent.evaluate.false_names import run

    rules = load_rules(file)
    return run(rules, compile_named(rules, file), output=output, out=sys.stdout, err=sys.stderr)


def _on_labelled(files: Sequence[str], file: Path | None, output: Form, scoring: "Scoring") -> Exit:
    from agent.ctl.rule_file import compile_named, load_rules
    from agent.evaluate.evaluation import run

    return run(
        files,
        rules=load_rules(file),
        compiled=partial(compile_named, file=file),
        scoring=scoring,
        output=output,
        out=sys.stdout,
        err=sys.stderr,
    )
