"""Ids of jobs are ULIDs: readable, unique, and in the order of time."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent.core.submission.submission import ENTROPY, job_id

TIMES = st.datetimes(datetime(2020, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds are naive
RANDOM = st.binary(min_size=ENTROPY, max_size=ENTROPY)


def test_an_id_is_a_ulid() -> None:
    # the example of the specification, 01ARYZ6S41TSV4RRFFQ69G5FAV, whose random part is left out
    assert job_id(datetime.fromtimestamp(1469918176.385, UTC), bytes(ENTROPY)) == "01aryz6s41" + "0" * 16


@given(TIMES, RANDOM, RANDOM)
def test_the_later_job_has_the_larger_id(at: datetime, earlier: bytes, other: bytes) -> None:
    assert job_id(at, earlier) < job_id(at + timedelta(milliseconds=2), other)


@given(TIMES, RANDOM, RANDOM)
def test_other_random_bytes_give_another_id(at: datetime, first: bytes, other: bytes) -> None:
    assert (job_id(at, first) == job_id(at, other)) is (first == other)
    assert len(job_id(at, first)) == 26
