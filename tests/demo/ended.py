"""A demo that has ended, for all tests that only look at what is left of it."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.child import output_of

COMMAND: Final = (sys.executable, "-m", "agent", "demo", "--for", "5s")
GROUP: Final = "wide-demo"
"""The tests of this group share one demo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A demo that has ended: the folder it was started in, that of its files, and the lines that it printed."""

    started_in: Path
    files: Path
    lines: list[str]


@pytest.fixture(scope="session", name="wide")
def a_wide_demo(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder = tmp_path_factory.mktemp("wide")
    printed = output_of([*COMMAND, "--dir", "my demo", "--wide"], cwd=folder, seconds=120)
    return Shown(started_in=folder, files=folder / "my demo", lines=printed.splitlines())
