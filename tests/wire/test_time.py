"""Times as protobuf has them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import example, given
from hypothesis import strategies as st

from agent.wire.error import WireError
from agent.wire.time import fill_time, read_time

LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
NEARLY_LAST = datetime(9999, 12, 31)  # noqa: DTZ001 - hypothesis takes bounds without a zone


@given(at=st.datetimes(max_value=NEARLY_LAST, timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7))])))
@example(at=datetime(1970, 1, 1, tzinfo=UTC))
@example(at=datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC))
@example(at=datetime(1, 1, 1, tzinfo=UTC))
@example(at=LAST)
@example(at=LAST.replace(microsecond=999_999))
def test_a_time_that_was_written_is_read_as_the_same_instant_in_utc(at: datetime) -> None:
    message = Timestamp()
    fill_time(message, at)

    assert (read_time(message), read_time(message).tzinfo) == (at, UTC)


@pytest.mark.parametrize("seconds", [int(LAST.timestamp()) + 1, -62_135_596_801, 2**62, -(2**62)])
@pytest.mark.parametrize("nanos", [0, 1000])
def test_a_time_outside_the_calendar_is_refused(seconds: int, nanos: int) -> None:
    with pytest.raises(WireError, match="outside the calendar"):
        read_time(Timestamp(seconds=seconds, nanos=nanos))
