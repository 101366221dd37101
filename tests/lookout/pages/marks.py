"""The marks of every test that opens a page."""

from typing import Final

import pytest

BROWSER: Final = [pytest.mark.slow, pytest.mark.timeout(240, func_only=True)]  # the first one fills the database before
