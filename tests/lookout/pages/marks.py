"""The marks of every test that opens a page."""

from typing import Final

import pytest

BROWSER: Final = [pytest.mark.slow, pytest.mark.timeout(600)]  # the first one fills the database, beside whatever else runs
