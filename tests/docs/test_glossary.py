"""docs/glossary.md explains words that exist, each once, in order."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.ground.findings import assert_no_findings
from tests.ground.tree import text_of, tracked

PAGE = Path("docs/glossary.md")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (text_of(PAGE) or "").splitlines()
    if line.startswith("| ") and not line.startswith("| word")
]
WORDS = [word for row in ROWS for word in row[0].split(", ")]
MOST_SENTENCES = 3


@cache
def written() -> str:
    """All text of the code and the contract, with identifiers taken apart."""
    texts = [text_of(path) or "" for path in tracked() if path.parts[0] in {"agent", "proto", "config"}]
    return " ".join(re.sub(r"[_\s\-]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)).lower() for text in texts)


def unused(word: str) -> Iterator[str]:
    if not re.search(rf"\b{word.lower()}s?\b", written()):
        yield f"{word}: is not used in agent/, proto/ or config/: explain words that are"


def faults(row: list[str]) -> Iterator[str]:
    """What is wrong with the meaning of a word, and with the link to more of it."""
    word, meaning, _, more = row
    if not meaning.endswith((".", "...")):
        yield f"{word}: the meaning is no sentence: it ends with {meaning[-20:]!r}"
    if (sentences := len(re.findall(r"[.?!](?= [A-Z]|$)", meaning))) > MOST_SENTENCES:
        yield f"{word}: the meaning has {sentences} sentences, more than {MOST_SENTENCES}"
    if not re.match(r"\[[^]]+\]\([a-z-]+\.md(#[a-z-]+)?\)", more):
        yield f"{word}: {more!r} is no link to a page, as [checks](checks.md)"


def test_words_are_in_order_and_each_is_there_once() -> None:
    keys = [word.lower() for word in (row[0] for row in ROWS)]

    assert len(keys) > 50
    assert keys == sorted(keys)
    assert len(set(WORDS)) == len(WORDS)


def test_every_word_is_used() -> None:
    assert_no_findings(unused, WORDS)


def test_every_entry_is_short_and_leads_somewhere() -> None:
    assert_no_findings(faults, ROWS)


def test_what_is_wrong_with_an_entry_is_found() -> None:
    assert list(unused("perpetuum mobile")) == [
        "perpetuum mobile: is not used in agent/, proto/ or config/: explain words that are"
    ]
    assert list(faults(["lease", "One. Two. Three. Four. And then", "", "[more]"])) == [
        "lease: the meaning is no sentence: it ends with 'hree. Four. And then'",
        "lease: the meaning has 4 sentences, more than 3",
        "lease: '[more]' is no link to a page, as [checks](checks.md)",
    ]
