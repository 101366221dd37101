import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.bounds import MAX_BYTES, MAX_LEVELS
from agent.documents import compose
from agent.documents.compose import read
from agent.documents.node import plain


def only(text: str) -> object:
    documents = read(text, file="f.yaml")
    assert documents.problems == ()
    (root,) = documents.roots
    return plain(root)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("y", "y"),
        ("True", True),
        ("false", False),
        ("12:30:45", "12:30:45"),
        ("2026-01-01", "2026-01-01"),
        ("1_000", "1_000"),
        ("0b1", "0b1"),
        ("0o17", 15),
        ("0x1F", 31),
        ("-7", -7),
        ("0", 0),
        ("1e3", 1000.0),
        ("1.", 1.0),
        ("~", None),
        ("Null", None),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("!!float 1", 1),
        ("! 12", "12"),
        (".", "."),
        ("=", "="),
        ("1.2.3", "1.2.3"),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(written: str, meant: object) -> None:
    assert only(f"a: {written}") == {"a": meant}
    assert type(only(f"[{written}]")[0]) is type(meant)  # type: ignore[index]  # a list by construction


def test_aliases_and_merge_keys_are_written_out() -> None:
    text = "base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\nuse: {<<: [*b, *o], x: 0}\nagain: *b\n"
    assert only(text) == {
        "base": {"x": 1, "y": 2},
        "other": {"y": 3, "z": 4},
        "use": {"x": 0, "y": 2, "z": 4},
        "again": {"x": 1, "y": 2},
    }


def test_several_documents_are_several_roots_and_empty_ones_are_none() -> None:
    documents = read("a: 1\n---\n---\n# nothing\n---\n- 2\n...\n", file="f.yaml")
    assert [plain(root) for root in documents.roots] == [{"a": 1}, [2]]


def test_documents_before_a_syntax_error_are_kept() -> None:
    documents = read("a: 1\n---\nb: c: d\n", file="f.yaml")
    assert [plain(root) for root in documents.roots] == [{"a": 1}]
    assert [(problem.code, problem.line) for problem in documents.problems] == [("syntax", 3)]


def test_a_byte_order_mark_shifts_nothing() -> None:
    documents = read(b"\xef\xbb\xbfa: 07\n", file="f.yaml")
    assert [(problem.line, problem.column) for problem in documents.problems] == [(1, 4)]


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        (b"a: b\nc: \xff\n", "not-utf-8", (2, 4)),
        ("é: \xff".encode("latin-1"), "not-utf-8", (1, 1)),
        ("a: b".encode("utf-16"), "not-utf-8", (1, 1)),
        (b"a: b\nc: \0d\0\n", "control-character", (2, 4)),
        (b"a: \x1b[31m\n", "control-character", (1, 4)),
        (b"#" * (MAX_BYTES + 1), "too-large", (1, 1)),
    ],
)
def test_bytes_that_are_no_text(data: bytes, code: str, place: tuple[int, int]) -> None:
    (problem,) = read(data, file="f.yaml").problems
    assert (problem.code, (problem.line, problem.column)) == (code, place)


def test_a_lone_surrogate_in_a_text_is_reported() -> None:
    (problem,) = read("a: \ud800", file="f.yaml").problems
    assert (problem.code, problem.column) == ("not-utf-8", 4)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 100_000, "too-deep"),
        ("- " * 100_000, "too-deep"),
        ('{"a":' * 100_000, "too-deep"),
        ("- 1\n" * 100_000, "too-many-nodes"),
        pytest.param("- *a\n" * 100_000, "too-many-nodes", marks=pytest.mark.slow),
        (
            "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
            + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)),
            "too-many-nodes",
        ),
        (
            "a0: &a0 {a: x, b: x}\n"
            + "".join(f"a{i}: &a{i} {{l: *a{i - 1}, <<: {{m: *a{i - 1}}}}}\n" for i in range(1, 40)),
            "too-many-nodes",
        ),
        (
            "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} {'[' * 50}*a{i - 1}{']' * 50}\n" for i in range(1, 40)),
            "too-deep",
        ),
    ],
    ids=lambda given: given[:24],
)
def test_bombs_do_not_go_off(text: str, code: str) -> None:
    assert code in {problem.code for problem in read(text, file="f.yaml").problems}


def test_the_deepest_nesting_is_still_read() -> None:
    assert read("[" * MAX_LEVELS + "]" * MAX_LEVELS, file="f.yaml").problems == ()


def test_the_bound_on_nodes_is_per_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compose, "MAX_NODES", 4)
    assert read("[1, 2, 3]\n---\n[1, 2, 3, 4]\n", file="f.yaml").problems == ()
    assert [problem.code for problem in read("[1, 2, 3, 4, 5]", file="f.yaml").problems] == ["too-many-nodes"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(exclude_categories=["C"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet="abcé 1", max_size=4), inner),
    max_leaves=20,
)


@given(value=JSON)
def test_json_means_what_json_means(value: Any) -> None:  # noqa: ANN401 - any JSON
    text = json.dumps(value, ensure_ascii=False)
    documents = read(text, file="f.json")
    assert documents.problems == ()
    assert [plain(root) for root in documents.roots] == ([] if value is None else [value])
