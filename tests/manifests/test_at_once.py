"""Everything wrong with a text is told at once: the documents are in at_once.yaml beside this file."""

from pathlib import Path
from typing import Any

import pytest

from agent.manifests.lint import LintContext, lint
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).parent / "at_once.yaml")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_all_problems_are_reported_at_once(case: dict[str, Any]) -> None:
    problems = lint(case["text"], file="f.yaml", context=LintContext(event_types=frozenset({"Warning"})))

    assert [f"{problem.code} {problem.line}:{problem.column} {problem.path}".rstrip() for problem in problems] == case[
        "problems"
    ]
