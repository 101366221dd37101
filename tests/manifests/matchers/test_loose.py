"""Patterns that are found where nobody meant them."""

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.pattern import PatternError, compile_pattern
from agent.manifests.categories.packs import lint_categories
from agent.manifests.matchers.loose import loose_line
from agent.manifests.matchers.sample import samples

LOOSE = {
    "port error": "export error",
    "(?i)OFI[^\\n]*error": "noprofile starts; there was no error",
    "(?i)ring": "preparing",
    "x|port error": "export error",
    "\\bNFS.*(?:error|lock)": "NFS starts; there was no error",
    "low on resource": "follow on resource",
}
FINE = ["\\bport error", "CUDA error", "NVRM: Xid", "\\bNFS[^\\n]{0,60}error", ".*", "", "Traceback \\(most recent"]


@pytest.mark.parametrize(("pattern", "line"), LOOSE.items(), ids=LOOSE)
def test_a_loose_pattern_is_shown_what_it_finds(pattern: str, line: str) -> None:
    assert loose_line(pattern) == line
    assert re2.search(pattern, line)


@pytest.mark.parametrize("pattern", FINE)
def test_a_pattern_with_boundaries_or_of_rare_words_is_fine(pattern: str) -> None:
    assert loose_line(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a|b", ["a", "b"]),
        ("(?i)a(?:b|c)d", ["abd"]),
        ("a[^\\n]*b", ["a~b"]),
        ("a.+b?c{2}\\d", ["a~cc0"]),
        ("\\bx\\.[yz]$", ["x.y"]),
        ("(?P<name>q)[^a]", ["qx"]),
    ],
)
def test_a_sample_is_found_by_its_pattern(pattern: str, expected: list[str]) -> None:
    assert list(samples(pattern, gap="~")) == expected
    assert all(re2.search(pattern, text) for text in expected)


PIECES = st.sampled_from(
    [*LOOSE, *FINE, "(a|b)", "[[:digit:]]", "[^]]", "a**", "\\Q.*\\E", "(?i:x)", "|", "\\pN", ")", "["]
)


@given(st.lists(PIECES, max_size=6).map("".join))
def test_whatever_is_valid_is_read_and_a_line_that_is_shown_is_found(pattern: str) -> None:
    try:
        compile_pattern(pattern)
    except PatternError:
        return

    line = loose_line(pattern)

    assert line is None or re2.search(pattern, line)


def test_lint_warns_with_the_line() -> None:
    text = "errorCategories: [{name: a, rules: [{onLogTail: {pattern: port error}}]}]\n"

    (problem,) = lint_categories(text, file="f.yaml")

    assert (problem.code, problem.line, problem.message) == (
        "loose-pattern",
        1,
        "the pattern is also found in `export error`",
    )
