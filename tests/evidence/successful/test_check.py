"""The check: what counts as a false name, and how false names are reported."""

import pytest

from agent.core.classify.rules import RuleSet
from agent.manifests.categories.load import load_categories
from tests.evidence.successful import Log
from tests.evidence.successful.check import WINDOWS, FalseName, false_names, report, windows

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


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return load_categories(RULES, file="rules.yaml")


def test_windows_hold_whole_lines_and_all_of_them() -> None:
    lines = ["a" * 10, "b" * 50, "c", "d"]

    assert list(windows(lines, 16)) == [["a" * 10], ["b" * 50], ["c", "d"]]


def test_a_rule_that_names_infrastructure_is_found_with_its_shortest_line(rules: RuleSet) -> None:
    log = Log(tool="npm", name="all", lines=("a long import error there", "import error", "warning: old"))

    found = list(false_names([log], rules))

    assert [(one.rule, one.window, one.primary) for one in found] == [
        ("network/reset rule 1", size, True) for size in WINDOWS
    ]
    assert next(iter(report(found))).startswith("network/reset rule 1: 1 in 4 KiB, 1 in 64 KiB, 2 times primary; npm")


def test_a_rule_that_names_the_program_is_no_false_name(rules: RuleSet) -> None:
    log = Log(tool="npm", name="all", lines=("warning: old",))

    assert list(false_names([log], rules)) == []


def test_the_report_shows_the_worst_rule_first_and_its_shortest_line() -> None:
    names = [
        FalseName(rule=rule, tool="t", log="l", window=WINDOWS[0], primary=False, line=line)
        for rule, line in (("once", "x"), ("twice", "longer"), ("twice", "long"))
    ]

    assert [line.strip() for line in report(names)] == [
        "twice: 2 in 4 KiB, 0 in 64 KiB, 0 times primary; t",
        "long",
        "once: 1 in 4 KiB, 0 in 64 KiB, 0 times primary; t",
        "x",
        "3 false names by 2 rules",
    ]
