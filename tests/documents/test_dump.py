import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agent.documents.checked import read_plain
from agent.documents.dump import dump
from agent.documents.grammar import LABELLED

AMBIGUOUS = [
    "no",
    "1e3",
    "0o7",
    "0x1F",
    "2024-01-01",
    "12:30:45",
    "1_000",
    "~",
    "null",
    "0E0",
    ".inf",
    "010",
    "<<",
    "=",
    "",
]
TEXTS = st.sampled_from(AMBIGUOUS) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(["\n", " ", "#", "-", ":"])
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)


@given(value=VALUES)
def test_what_is_written_reads_back_here(value: object) -> None:
    assert read_plain(dump({"a": value}), file="", grammar=LABELLED) == {"a": value}


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_a_text_is_a_text_in_either_version_of_yaml(text: str) -> None:
    written = dump({"a": text})

    assert read_plain(written, file="") == yaml.safe_load(written) == {"a": text}


def test_the_lines_of_a_text_stand_below_each_other() -> None:
    assert dump({"args": ["set -e\ntrain --all\n"]}) == "args:\n- |\n  set -e\n  train --all\n"
