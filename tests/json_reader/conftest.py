import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def lowest_limit() -> Iterator[None]:
    """Python converts no number of more digits than this to a whole number, as PYTHONINTMAXSTRDIGITS may say."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(sys.int_info.str_digits_check_threshold)
    yield
    sys.set_int_max_str_digits(before)
