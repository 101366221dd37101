from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.units import QuantityError, about, counted, in_bytes, parse


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


@pytest.mark.parametrize(
    ("quantity", "said"),
    [
        ("512Mi", "512Mi"),
        ("1024Mi", "1024Mi"),
        ("35505620Ki", "33.9Gi"),
        ("15796315985", "14.7Gi"),
        ("2147483648", "2Gi"),
        ("9736Ki", "9736Ki"),
        ("284Ki", "284Ki"),
        ("4000", "4000"),
        ("0", "0"),
        ("much", "much"),
    ],
)
def test_large_quantities_are_said_as_people_read_them(quantity: str, said: str) -> None:
    assert about(quantity) == said


@given(count=st.integers(0, 2**62))
def test_what_is_said_is_off_by_less_than_a_tenth(count: int) -> None:
    assert abs(parse(about(in_bytes(count))) - count) * 10 <= count


@pytest.mark.parametrize(("number", "said"), [(0, "0 jobs"), (1, "1 job"), (2, "2 jobs"), (1_200, "1,200 jobs")])
def test_one_thing_is_not_several(number: int, said: str) -> None:
    assert counted(number, "job") == said
    assert counted(number, "policy", "policies") == said.replace("jobs", "policies").replace("job", "policy")
