from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.units import QuantityError, in_bytes, parse


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("1Gi", 1 << 30),
        ("1.5Gi", 3 << 29),
        ("512Mi", 1 << 29),
        ("1k", 1000),
        ("2E", 2 * 10**18),
        ("2e3", 2000),
        ("100m", Fraction(1, 10)),
        ("-1Gi", -(1 << 30)),
        (".5", Fraction(1, 2)),
    ],
)
def test_quantities_are_read_as_kubernetes_does(text: str, number: Fraction) -> None:
    assert parse(text) == number


@pytest.mark.parametrize("text", ["", "many", "1 Gi", "1GiB", "0x10", "1e999", "not-a-quantity", "Gi", "."])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse(text)


@given(count=st.integers(0, 1 << 70))
def test_bytes_come_back(count: int) -> None:
    assert parse(in_bytes(count)) == count


@pytest.mark.parametrize(("count", "text"), [(0, "0"), (1000, "1000"), (1536 << 20, "1536Mi"), (1 << 30, "1Gi")])
def test_the_largest_suffix_that_fits_is_written(count: int, text: str) -> None:
    assert in_bytes(count) == text
