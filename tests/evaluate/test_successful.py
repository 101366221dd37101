"""What counts as a false name in logs of runs that succeeded, and how false names are reported."""

import io
import json

import pytest
from typer.testing import CliRunner

from agent.console.exits import Exit
from agent.core.classify.classifier import compile_rules
from agent.ctl.main import app
from agent.evaluate.false_names import report, run
from agent.evaluate.successful import WINDOWS, Blame, FalseName, Log, windows
from agent.manifests.categories.packs import load_categories

RULES = """
errorCategories:
  - name: network
    origin: infra
    rules:
      - onLogTail: {pattern: 'port error'}
        subcategory: reset
  - name: program
    origin: user
    rules:
      - onLogTail: {pattern: 'warning'}
        subcategory: warned
"""


EVIDENCE = f"order: evidence\n{RULES}"


def found(rules: str, *lines: str) -> list[FalseName]:
    """The false names of a rule file in a log with these lines."""
    loaded = load_categories(rules, file="rules.yaml")
    blame = Blame(compile_rules(loaded), loaded)
    log = Log(tool="npm", name="all", lines=lines)
    return [name for size in WINDOWS for name in blame.false_names(log, size=size)]


def test_windows_hold_whole_lines_and_all_of_them() -> None:
    lines = ["a" * 10, "b" * 50, "c", "d"]

    assert list(windows(lines, 16)) == [["a" * 10], ["b" * 50], ["c", "d"]]


def test_a_rule_that_blames_infrastructure_is_found_with_its_line() -> None:
    names = found(RULES, "a long import error there", "import error", "warning: old")

    assert [(false_name.rule, false_name.window, false_name.primary) for false_name in names] == [
        ("network/reset rule 1", size, True) for size in WINDOWS
    ]
    assert {false_name.line for false_name in names} == {"a long import error there"}


def test_a_rule_that_blames_the_program_is_no_false_name() -> None:
    assert found(RULES, "warning: old") == []


def test_a_refused_match_is_found_and_says_why() -> None:
    names = found(EVIDENCE, "port error, will retry in 3 s", *("done" for _ in range(50)))

    assert names
    assert all(false_name.refused and not false_name.primary for false_name in names)


@pytest.mark.slow
def test_a_rule_without_boundaries_is_found_in_the_shipped_logs() -> None:
    rules, out = load_categories(RULES, file="rules.yaml"), io.StringIO()

    code = run(rules, compile_rules(rules), output="json", out=out, err=io.StringIO())

    result = json.loads(out.getvalue())
    assert code is Exit.FINDING
    assert result["lines"] > 100_000
    assert {false_name["rule"] for false_name in result["false_names"]} == {"network/reset rule 1"}


@pytest.mark.parametrize("words", [[], ["a.jsonl", "--successful"], ["--successful", "--without-source"]])
def test_files_and_successful_runs_exclude_each_other(words: list[str]) -> None:
    result = CliRunner().invoke(app, ["evaluate", *words])

    assert result.exit_code == Exit.USAGE
    assert "--successful" in result.stderr


def test_the_report_shows_the_worst_rule_first_and_its_shortest_line() -> None:
    names = [
        FalseName(
            rule=rule, tool="t", log="l", window=WINDOWS[0], number=0, primary=False, refused="", text="x", line=line
        )
        for rule, line in (("once", "x"), ("twice", "longer"), ("twice", "long"))
    ]

    assert [line.strip() for line in report(names)] == [
        "twice: 2 in 4 KiB, 0 in 64 KiB, 0 times primary; t",
        "long",
        "once: 1 in 4 KiB, 0 in 64 KiB, 0 times primary; t",
        "x",
        "refused matches, on which nothing acts: 0",
    ]
