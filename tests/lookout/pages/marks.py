"""The marks of every test that opens a page."""

from typing import Final

import pytest

BROWSER: Final = [pytest.mark.slow, pytest.mark.timeout(240, func_only=True)]
"""The limit is that of the test alone: before the first one the database is filled, for minutes on a busy machine."""
