"""Everything wrong with a text is told at once: the documents are in at_once.yaml beside this file."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from agent.manifests.lint import LintContext, lint

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "at_once.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_is_wrong_is_told_at_once(case: dict[str, Any]) -> None:
    problems = lint(case["text"], file="f.yaml", context=LintContext(event_types=frozenset({"Warning"})))

    assert [f"{one.code} {one.line}:{one.column} {one.path}".rstrip() for one in problems] == case["problems"]
