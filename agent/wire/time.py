"""Time: aware datetimes and durations <-> those of protobuf, to the microsecond."""

from datetime import UTC, datetime, timedelta

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from agent.wire.error import WireError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NANOS = 1000
_LAST_SECOND = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)
_DAY_SECONDS = 24 * 60 * 60


def fill_time(message: Timestamp, at: datetime) -> None:
    """Set the timestamp; far faster than ``FromDatetime``."""
    since = at - _EPOCH
    message.seconds = since.days * _DAY_SECONDS + since.seconds
    if since.microseconds:
        message.nanos = since.microseconds * _NANOS


def read_time(message: Timestamp) -> datetime:
    """The time in UTC; raises WireError for one outside the calendar."""
    seconds, nanos = message.seconds, message.nanos
    try:
        if nanos == 0 and 0 <= seconds <= _LAST_SECOND:
            return datetime.fromtimestamp(seconds, UTC)  # a third of the time that a sum takes
        return _EPOCH + timedelta(seconds=seconds, microseconds=nanos // _NANOS)
    except OverflowError as error:
        raise WireError(f"time of {message.seconds} seconds is outside the calendar") from error


def read_duration(message: Duration) -> timedelta:
    """The duration; raises WireError for one that is too long."""
    try:
        return timedelta(seconds=message.seconds, microseconds=message.nanos // _NANOS)
    except OverflowError as error:
        raise WireError(f"a duration of {message.seconds} seconds is too long") from error
