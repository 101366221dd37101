"""Laws: no text makes the readers fail, and what they tell is placed."""

import json
from typing import Any

from hypothesis import given

from agent.documents.problem import ManifestError
from agent.manifests.categories.packs import load_categories
from tests.manifests.documents import BYTES, FILES, LOOKALIKES, mutated
from tests.manifests.holds import holds


@given(text=LOOKALIKES)
def test_of_a_text_that_looks_like_yaml(text: str) -> None:
    holds(text)


@given(text=mutated())
def test_of_a_document_with_a_piece_changed(text: str) -> None:
    holds(text)


@given(data=BYTES)
def test_of_any_bytes(data: bytes) -> None:
    holds(data)


@given(document=FILES)
def test_one_line_and_many_lines_mean_the_same(document: dict[str, Any]) -> None:
    narrow = _codes(json.dumps(document, ensure_ascii=False, indent=1))
    assert _codes(json.dumps(document, ensure_ascii=False)) == narrow


def _codes(text: str) -> list[tuple[str, str]] | str:
    try:
        return load_categories(text, file="f.yaml").revision
    except ManifestError as error:
        return sorted((problem.code, problem.path) for problem in error.problems)
