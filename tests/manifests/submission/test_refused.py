"""What cannot be submitted: the texts are in refused.yaml beside this file."""

from pathlib import Path
from typing import Any

import pytest

from agent.documents.problem import render
from agent.manifests.submission.read import read_submissions
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).parent / "refused.yaml")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_cannot_be_submitted_is_refused_where_it_is_written(case: dict[str, Any]) -> None:
    problems = read_submissions(case["text"], file="f.yaml", queue=case.get("queue", "ml")).problems

    assert [f"{one.code} {one.line}:{one.column} {one.path}".rstrip() for one in problems] == case["problems"]
    shown = "\n".join(render(one) for one in problems)
    assert [words for words in case.get("hints", ()) if words not in shown] == []


def test_a_spec_that_no_cluster_could_keep_is_refused() -> None:
    container = "{name: main, image: busybox, args: [" + "x" * (1 << 20) + "]}"
    text = (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{restartPolicy: Never, containers: [{container}]}}\n"
    )

    (problem,) = read_submissions(text, file="f.yaml", queue="ml").problems

    assert (problem.code, problem.path) == ("too-large", "spec")
    assert "at most 1,048,576 are allowed" in problem.message
