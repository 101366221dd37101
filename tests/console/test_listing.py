import io
import json

import pytest
import yaml

from agent.console.listing import Document, write_documents
from agent.console.options import ListForm

ROWS: list[Document] = [{"id": "b\x1b[2J", "n": 1}, {"id": "a", "n": None}]


def written(form: ListForm, rows: list[Document]) -> str:
    out = io.StringIO()
    write_documents(iter(rows), form, name=lambda row: str(row["id"]), out=out)
    return out.getvalue()


@pytest.mark.parametrize("rows", [[], ROWS[:1], ROWS])
def test_programs_read_back_what_was_written(rows: list[Document]) -> None:
    assert json.loads(written("json", rows)) == rows
    assert [json.loads(line) for line in written("jsonl", rows).splitlines()] == rows
    assert list(yaml.safe_load_all(written("yaml", rows))) == rows


def test_names_are_one_a_line_and_harmless() -> None:
    assert written("name", ROWS) == "b\\x1b[2J\na\n"


@pytest.mark.parametrize("form", ["json", "jsonl", "yaml", "name"])
def test_nothing_hostile_reaches_a_terminal(form: ListForm) -> None:
    assert "\x1b" not in written(form, ROWS)
