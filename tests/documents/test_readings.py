"""How files are read, by example: readings.yaml beside this file has files of people beside Kubernetes objects."""

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from agent.diagnose.documents import Document, read_documents
from agent.documents.compose import read
from agent.documents.grammar import LABELLED, MANIFEST, OBJECT, PEOPLE, Grammar
from agent.documents.node import plain
from agent.documents.written import WrittenMapping
from agent.settings.fault import ConfigError
from agent.settings.marks import read_marked
from tests.tables import table

ROWS: list[dict[str, Any]] = table(Path(__file__).parent / "readings.yaml")
BOMB = "a0: &a0 {x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)

every_row = pytest.mark.parametrize("row", ROWS, ids=[row["text"] for row in ROWS])


def meant(text: str, grammar: Grammar) -> object:
    documents = read(text, file="f.yaml", grammar=grammar)
    if documents.problems:
        return {"error": documents.problems[0].code}
    (root,) = documents.roots
    return plain(root)


def streamed(text: str, grammar: Grammar) -> object:
    (document,) = read_documents(io.BytesIO(text.encode()), grammar=grammar)
    return document.value if isinstance(document, Document) else "error"


def same(given: object, other: object) -> bool:
    """Whether both are equal and of the same types, in any order of keys."""
    return json.dumps(given, sort_keys=True) == json.dumps(other, sort_keys=True)


@every_row
def test_a_file_that_people_write_for_us(row: dict[str, Any]) -> None:
    assert same(meant(row["text"], PEOPLE), row["people"])


@every_row
def test_settings_are_such_a_file(row: dict[str, Any]) -> None:
    try:
        marked = read_marked(row["text"], file="f.yaml")
    except ConfigError:
        told: object = "error"
    else:
        told = "error" if marked.faults else marked.value

    assert same(told, "error" if "error" in row["people"] else row["people"])


@every_row
def test_a_manifest_is_read_as_the_api_server_reads_it(row: dict[str, Any]) -> None:
    assert same(meant(row["text"], MANIFEST), row["kubernetes"])


@every_row
def test_a_piped_object_is_read_so_too_and_the_last_of_equal_keys_counts(row: dict[str, Any]) -> None:
    wanted = row.get("objects", row["kubernetes"])

    assert same(meant(row["text"], OBJECT), wanted)
    assert same(streamed(row["text"], OBJECT), "error" if "error" in wanted else wanted)


@every_row
def test_labelled_evidence_is_a_file_of_people_whose_texts_are_a_programs(row: dict[str, Any]) -> None:
    people = row["people"] if row["people"] != {"error": "control-character"} else row["kubernetes"]

    assert same(streamed(row["text"], LABELLED), "error" if "error" in people else people)


@pytest.mark.parametrize("grammar", [PEOPLE, MANIFEST, OBJECT])
def test_a_bomb_of_aliases_is_refused(grammar: Grammar) -> None:
    tracemalloc.start()
    try:
        assert meant(BOMB, grammar) == {"error": "too-many-nodes"}
        assert streamed(BOMB, grammar) == "error"
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < 4 << 20


def test_each_document_of_a_text_is_read_by_a_grammar_of_its_own() -> None:
    text = "kind: Job\na: 010\n---\nkind: Other\na: 0o10\nb: yes\n"

    def other(root: WrittenMapping) -> Grammar | None:
        return MANIFEST if root.has("kind") and root.text_of("kind") == "Job" else None

    documents = read(text, file="f.yaml", other_grammar=other)

    assert documents.problems == ()
    assert [plain(root) for root in documents.roots] == [{"kind": "Job", "a": 8}, {"kind": "Other", "a": 8, "b": "yes"}]
