"""A fixture with a real browser's program. A plugin of pytest: ``tests.servers.chromium``."""

from pathlib import Path

import pytest

from tests.servers.availability import require
from tests.servers.chromium_program import browser_of


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The program. Without one the test is skipped, or failed under CI."""
    return browser_of(require("chromium"))
