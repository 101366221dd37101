"""Budgets: which rooms of tests took longer together than CONTRIBUTING.md allows them. It is said, and fails nothing.

A plugin of pytest: ``tests.budgets``. A room is a folder of ``tests``, or one in it that has a budget of its own; what
lies beside them is the room ``tests``.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

import pytest

PAGE: Final = Path(__file__).parents[1] / "CONTRIBUTING.md"
_ROW: Final = re.compile(r"^\| `([a-z_/]+)` \| (\d+) \|", re.MULTILINE)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which rooms are over their budget, the longest first."""
    kinds = ("passed", "failed", "error", "skipped", "")  # "" has setups and teardowns
    reports = [report for kind in kinds for report in terminalreporter.getreports(kind)]
    allowed = budgets(PAGE.read_text(encoding="utf-8"))
    for line in over(spent(reports, allowed), allowed):
        terminalreporter.write_line(line)


def budgets(page: str) -> Mapping[str, int]:
    """The seconds of each room, by the table of the page."""
    return {room: int(seconds) for room, seconds in _ROW.findall(page)}


def spent(reports: Iterable[object], rooms: Container[str]) -> Mapping[str, float]:
    """The seconds that the tests of each room took, with what they set up and tore down."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for report in reports:
        if isinstance(report, pytest.TestReport):
            seconds[room_of(report.nodeid, rooms)] += report.duration
    return seconds


def room_of(test: str, rooms: Container[str]) -> str:
    """The room of a test by its id; ``rooms`` are those with a budget, of which the innermost counts."""
    folders = PurePosixPath(test.partition("::")[0]).parts[1:-1]
    inner = ("/".join(folders[:depth]) for depth in range(len(folders), 1, -1))
    return next((room for room in inner if room in rooms), folders[0] if folders else "tests")


def over(seconds: Mapping[str, float], allowed: Mapping[str, int]) -> list[str]:
    """A line for each room that took longer than it may."""
    rooms = sorted(seconds, key=lambda room: -seconds[room])
    return [
        f"over its budget in CONTRIBUTING.md: {room} took {seconds[room]:.0f} s of test time, of {allowed[room]} s"
        for room in rooms
        if room in allowed and seconds[room] > allowed[room]
    ]
