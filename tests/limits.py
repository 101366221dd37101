"""Limits: no test may take as long as the watchdog waits for one to finish, because it would be ended with all others.

A plugin of pytest: ``tests.limits``. A test has the time that ``pyproject.toml`` gives all, or that of its mark
``timeout``, behind which a comment says why.
"""

from typing import Final

import pytest

MOST_SECONDS: Final = 240.0
"""Below the 300 of ``.ci/watched``, so that a test that is slow fails by its own name."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a longer time for a test that ``make test`` runs."""
    refused = [
        f"{item.nodeid}: {seconds:.0f} s"
        for item in items
        if (seconds := seconds_of(item)) > MOST_SECONDS and item.get_closest_marker("long") is None
    ]
    if refused:
        raise pytest.UsageError("\n".join([f"at most {MOST_SECONDS:.0f} s a test, or mark it as long:", *refused]))


def seconds_of(item: pytest.Item) -> float:
    """The time of its mark; 0 without one."""
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark is not None else 0.0
