"""Failed: the tests that failed are written to the file that ``FAILED_TESTS`` names, one a line, to be run once more.

A plugin of pytest: ``tests.failed``.
"""

import os
from pathlib import Path

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write them, in order, whether they failed or something around them did."""
    named = os.environ.get("FAILED_TESTS")
    if named:
        reports = [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
        failed = dict.fromkeys(ungrouped(report.nodeid) for report in reports)
        Path(named).write_text("".join(f"{one}\n" for one in failed), encoding="utf-8")


def ungrouped(test: str) -> str:
    """The test's id without the group that xdist has added behind an ``@``."""
    behind = test.rfind("@")
    return test[:behind] if behind > test.rfind("]") and "::" in test[:behind] else test
