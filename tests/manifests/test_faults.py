"""Faults and findings by example: the documents are in faults.yaml and findings.yaml beside this file."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from agent.documents.problem import ManifestError, Severity, render
from agent.manifests.categories.packs import lint_categories, load_categories
from agent.manifests.lint import lint
from tests.tables import table

HERE = Path(__file__).parent
FAULTS: list[dict[str, Any]] = table(HERE / "faults.yaml")
FINDINGS: list[dict[str, Any]] = table(HERE / "findings.yaml")


@pytest.mark.parametrize("case", FAULTS, ids=[case["name"] for case in FAULTS])
def test_faults(case: dict[str, Any]) -> None:
    problems = lint(case["text"], file="f.yaml")
    told = [f"{problem.code} {problem.line}:{problem.column} {problem.path}".rstrip() for problem in problems]
    assert told == case["problems"]
    assert any(problem.severity is Severity.ERROR for problem in problems)
    shown = "\n".join(render(problem) for problem in problems)
    for words in [*case.get("hints", []), *case.get("messages", [])]:
        assert words in shown


@pytest.mark.parametrize("case", FINDINGS, ids=[case["name"] for case in FINDINGS])
def test_findings(case: dict[str, Any]) -> None:
    text = yaml.safe_dump({"errorCategories": [{"name": "a", "rules": case["rules"]}]})
    problems = lint_categories(text, file="f.yaml")
    told = {f"{problem.code} {problem.path.removeprefix('errorCategories[0].')}" for problem in problems}
    assert told == set(case["findings"])
    assert all(problem.severity is Severity.WARNING for problem in problems)
    assert load_categories(text, file="f.yaml").categories[0].name == "a"


def test_a_job_in_a_file_of_rules_is_read_as_the_api_server_reads_it() -> None:
    rules = "errorCategories: [{name: a, rules: [{onExitCodes: {operator: In, values: [010]}}]}]"
    job = "kind: Job\nspec: {parallelism: 010, suspend: off}"

    told = [f"{problem.code} {problem.path}" for problem in lint(f"{rules}\n---\n{job}\n", file="f.yaml")]

    assert "ambiguous-number errorCategories[0].rules[0].onExitCodes.values[0]" in told
    assert not [line for line in told if "parallelism" in line or "suspend" in line]


def test_loading_raises_with_every_fault() -> None:
    with pytest.raises(ManifestError) as raised:
        load_categories("errorCategories: [{name: a, x: 1}, {name: a}]", file="f.yaml")
    assert [problem.code for problem in raised.value.problems] == [
        "no-rules",
        "unknown-field",
        "no-rules",
        "duplicate-category",
    ]


def test_loading_wants_one_document() -> None:
    with pytest.raises(ManifestError, match="expected one document, found 2"):
        load_categories("errorCategories: []\n---\nerrorCategories: []\n", file="f.yaml")


def test_later_categories_that_only_repeat_are_never_primary() -> None:
    text = """
errorCategories:
- {name: a, rules: [{onConditions: [OOMKilled]}]}
- {name: b, rules: [{onConditions: [OOMKilled]}, {onSignals: [SIGTERM]}]}
"""
    (finding,) = lint_categories(text, file="f.yaml")
    assert (finding.code, finding.line) == ("shadowed-rule", 4)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("errorCategories: []", "no-categories"),
        ("errorCategories: {enabled: false, categories: []}", "disabled"),
        (
            "errorCategories: {defaultSubcategory: x, categories: [{name: a, rules: [{onSignals: [9]}]}]}",
            "no-default-category",
        ),
        ("errorCategories: [{name: internal, rules: [{onSignals: [9]}]}]", "reserved-name"),
    ],
)
def test_findings_about_the_whole_block(text: str, code: str) -> None:
    assert [problem.code for problem in lint_categories(text, file="f.yaml")] == [code]
