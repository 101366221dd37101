"""What a rule finds in many places, listed together: one test for each rule, not one for each place."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Place = TypeVar("Place")


def assert_no_findings(rule: Callable[[Place], Iterable[str]], places: Iterable[Place]) -> None:
    """Fail with all findings, one to a line. Fail also if there is no place to look at: the rule would always pass."""
    visited = list(places)
    if not visited:
        pytest.fail("there is nothing to look at: the rule would always pass", pytrace=False)
    findings = [finding for place in visited for finding in _found(rule, place)]
    if findings:
        pytest.fail("\n".join((f"findings in {len(visited)} places: {len(findings)}", *findings)), pytrace=False)


def _found(rule: Callable[[Place], Iterable[str]], place: Place) -> list[str]:
    """Return what the rule finds in a place. What it raises names the place, which the name of the test does not."""
    try:
        return list(rule(place))
    except Exception as error:
        error.add_note(f"while looking at {place}")
        raise
