"""docs/glossary.md explains words that exist, each once, in order."""

import re
from functools import cache

import pytest

from tests.ground.tree import ROOT, text_of, tracked

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| word")
]
WORDS = [word for row in ROWS for word in row[0].split(", ")]
MOST_SENTENCES = 3


@cache
def written() -> str:
    """All text of the code and the contract, with identifiers taken apart."""
    texts = [text_of(path) or "" for path in tracked() if path.parts[0] in {"agent", "proto", "config"}]
    return " ".join(re.sub(r"[_\s\-]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)).lower() for text in texts)


def test_words_are_in_order_and_each_is_there_once() -> None:
    keys = [word.lower() for word in (row[0] for row in ROWS)]

    assert len(keys) > 50
    assert keys == sorted(keys)
    assert len(set(WORDS)) == len(WORDS)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_used(word: str) -> None:
    assert re.search(rf"\b{word.lower()}s?\b", written())


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_an_entry_is_short_and_leads_somewhere(row: list[str]) -> None:
    _, meaning, _, more = row

    assert meaning.endswith((".", "..."))
    assert len(re.findall(r"[.?!](?= [A-Z]|$)", meaning)) <= MOST_SENTENCES
    assert re.match(r"\[[^]]+\]\([a-z-]+\.md(#[a-z-]+)?\)", more)
