"""A rule over many places lists all that it finds, and never passes because it looked at nothing."""

from collections.abc import Iterator

import pytest

from tests.ground.findings import assert_no_findings


def too_long(word: str) -> Iterator[str]:
    if len(word) > 3:
        yield f"{word}: longer than 3"
    if not word.isascii():
        yield f"{word}: not ASCII"


def test_where_nothing_is_found_it_passes() -> None:
    assert_no_findings(too_long, ["a", "abc"])


def test_all_findings_of_all_places_are_listed() -> None:
    with pytest.raises(pytest.fail.Exception) as failed:
        assert_no_findings(too_long, ["abcd", "a", "größe"])

    assert str(failed.value).splitlines() == [
        "findings in 3 places: 3",
        "abcd: longer than 3",
        "größe: longer than 3",
        "größe: not ASCII",
    ]


def test_a_rule_that_looks_at_nothing_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match="nothing to look at"):
        assert_no_findings(too_long, [])


def test_where_a_rule_breaks_the_place_is_named() -> None:
    def inverse(number: int) -> list[str]:
        return [] if 1 / number else ["never"]

    with pytest.raises(ZeroDivisionError) as broken:
        assert_no_findings(inverse, [1, 0])

    assert broken.value.__notes__ == ["while looking at 0"]
