"""Parsers: those of our commands are made once for all tests of a process; typer makes all anew for each run of one.

That takes longer than most commands do. A plugin of pytest: ``tests.parsers``.
"""

from collections.abc import Iterator
from functools import cache

import pytest
from typer import testing
from typer.main import get_command


@pytest.fixture(scope="session", autouse=True)
def parsers_are_made_once() -> Iterator[None]:
    """Let ``CliRunner`` keep them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "_get_command", cache(get_command))
        yield
