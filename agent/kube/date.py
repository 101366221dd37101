"""The server's own time in an answer: the header ``Date``, where nothing but the server can have written it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

_OF_A_CACHE_OR_PROXY: Final = ("Age", "Via", "X-Cache", "Server")
"""If an answer has one of these headers (RFC 9110, 9111), it may be an old one, or its date that of another machine.

An API server does not name its software in ``Server``; proxies do.
"""

UNCACHED: Final = {"Cache-Control": "no-cache"}
"""Headers of every request: a cache on the way must ask the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedAnswer:
    """When a request was sent and its answer arrived, in seconds of CLOCK_BOOTTIME, and the server's ``date``.

    The date is in whole seconds, rounded down.
    """

    sent: float
    received: float
    date: datetime


DateHandler = Callable[[DatedAnswer], None]
"""Called with each answer that has the server's own time."""


def server_date(status: int, headers: Mapping[str, str]) -> datetime | None:
    """The server's time when it wrote this answer; ``None`` where a cache or a proxy may have written it.

    Errors do not count: load balancers write some.
    """
    if status >= HTTPStatus.BAD_REQUEST or any(name in headers for name in _OF_A_CACHE_OR_PROXY):
        return None
    return any_date(headers)


def any_date(headers: Mapping[str, str]) -> datetime | None:
    """The time in ``Date``, whoever wrote it; ``None`` if there is none."""
    try:
        date = parsedate_to_datetime(headers.get("Date", ""))
    except (ValueError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
