"""From when to when things are counted, and by which rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement

from agent.lookout.query.parameters import Parameters
from agent.lookout.query.times import EARLIEST

DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)

MOST_BY_ROWS: Final = 7 * DAY
"""The longest window in which rows are counted one by one."""


class Base(StrEnum):
    """What was counted: rows, by the time of their list, or the rollups, by the hour in which runs ended."""

    ROWS = "rows"
    ROLLUPS = "rollups"


@dataclass(frozen=True, slots=True)
class Window:
    """From ``since`` on, before ``until``."""

    since: datetime
    until: datetime

    @property
    def length(self) -> timedelta:
        return self.until - self.since

    def bounds(self, time: ColumnElement[Any]) -> list[ColumnElement[bool]]:
        """The conditions on a time. Without a beginning there is none, and a table is read as it is."""
        return [*([] if self.since == EARLIEST else [time >= self.since]), time < self.until]

    def in_days(self) -> "Window":
        """The window of whole days in UTC that has all of it."""
        hours = self.in_hours()
        until = hours.until.replace(hour=0)
        return Window(hours.since.replace(hour=0), until if until == hours.until else until + DAY)

    def hours(self) -> Iterator[datetime]:
        """When each hour begins of a window of whole hours."""
        at = self.since
        while at < self.until:
            yield at
            at += HOUR

    def in_hours(self) -> "Window":
        """The window of whole hours that has all of it."""
        return Window(_start_of_hour(self.since), _start_of_hour(self.until + HOUR - timedelta(microseconds=1)))


def _start_of_hour(time: datetime) -> datetime:
    return time.replace(minute=0, second=0, microsecond=0)


def read_window(parameters: Parameters, *, usual: timedelta) -> Window:
    """The window that ``since`` and ``until`` say; without ``since``, the ``usual`` length."""
    since, until = parameters.window()
    end = parameters.now if until is None else until
    return Window(end - usual if since is None else since, end)
