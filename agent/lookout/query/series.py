"""Series: runs and failures by hour or by day, from the rollups."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from sqlalchemy import ColumnElement, literal

from agent.documents.problem import quote
from agent.lookout.query import rollup_rows
from agent.lookout.query.columns import RUNS, List
from agent.lookout.query.conditions import Condition
from agent.lookout.query.parameters import Items, Parameters, one_of
from agent.lookout.query.reader import Found, Reading
from agent.lookout.query.rollup_rows import DAYS, HOURS, Rollup
from agent.lookout.query.shapes import Line, Point, Series
from agent.lookout.query.window import DAY, HOUR, Window, read_window
from agent.lookout.store.tables import hour_table

STEPS: Final[Mapping[str, timedelta]] = {"hour": DAY, "day": 30 * DAY}
"""How far points are apart, and the usual window."""

MOST_POINTS: Final = 1_500
"""Points of one line."""

MOST_LINES: Final = 20
"""Lines that are drawn apart; all others are one."""

COUNTED: Final = List(
    name="series",
    columns=tuple(column for column in RUNS.columns if column.field in rollup_rows.COLUMNS),
    time="hour",
    sorts=(),
    groups=rollup_rows.COLUMNS,
)
"""What the rollups have, asked for like a list."""

_NOON: Final = DAY / 2

_Numbers = tuple[int, int]
_Counted = tuple[str, datetime, _Numbers]
"""A value, when its point begins, and runs and failures of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesQuestion:
    """What is drawn over time; ``by`` is empty for one line of all. Days begin at midnight in ``zone``."""

    by: str
    step: str
    zone: ZoneInfo
    window: Window
    conditions: tuple[Condition, ...]

    @property
    def is_of_days(self) -> bool:
        """Whether days in UTC can be counted, which are far fewer rows than hours."""
        return self.step == "day" and DAYS.knows([self.by] if self.by else [], self.conditions)

    def whole_day(self, day: datetime) -> datetime:
        """When the point begins that has most of a day in UTC: it has its noon."""
        return self.point(day + _NOON)

    def other_hours(self) -> list[datetime]:
        """The hours of days in UTC that are of another point than most of their day: none if the zone is UTC."""
        days = self.window.in_days()
        return [hour for hour in days.hours() if self.point(hour) != self.whole_day(hour.replace(hour=0))]

    def starts(self) -> Iterator[datetime]:
        """When each point begins."""
        at = self.window.since
        while at < self.window.until:
            yield at
            at = self._next(at)

    def whole(self) -> "SeriesQuestion":
        """The same in a window of whole points, which has all of the window."""
        since, last = self.point(self.window.since), self.point(self.window.until)
        return replace(self, window=Window(since, last if last == self.window.until else self._next(last)))

    def point(self, hour: datetime) -> datetime:
        """When the point begins that has an hour."""
        if self.step == "hour":
            return hour
        local = hour.astimezone(self.zone)
        return local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0).astimezone(UTC)

    def _next(self, at: datetime) -> datetime:
        # A day may have 23 or 25 hours; 30 after its beginning it is the next one.
        return at + HOUR if self.step == "hour" else self.point(at + 30 * HOUR)


def read_series_question(items: Items, *, now: datetime) -> SeriesQuestion:
    """The question that the parameters of a request ask. Raises Refused."""
    parameters = Parameters(items, now=now)
    step = parameters.take("step", one_of(list(STEPS), "step"), "hour")
    window = read_window(parameters, usual=STEPS[step])
    question = SeriesQuestion(
        by=parameters.take("by", one_of(COUNTED.groups, "column of rollups"), ""),
        step=step,
        zone=parameters.take("zone", _zone, ZoneInfo("UTC")),
        window=window.in_hours(),
        conditions=parameters.conditions(COUNTED),
    )
    if window.length / (HOUR if step == "hour" else DAY) > MOST_POINTS:
        parameters.refuse("since", f"that is more than {MOST_POINTS:,} points", "write a later time, or step=day")
    parameters.done()
    return question.whole()


_names_of_zones: Final = cache(available_timezones)
"""Cached: it looks through all files of the system's zones."""


def _zone(text: str) -> ZoneInfo:
    if text not in _names_of_zones():
        raise ValueError(f"{quote(text)} is no time zone; write one as Europe/Berlin, or UTC")
    return ZoneInfo(text)


def series(reading: Reading, question: SeriesQuestion) -> dict[str, Any]:
    """The lines that are asked for, the one with most failures first."""
    lines = _lines(reading, question)
    ranked = sorted(lines.items(), key=lambda line: (*(-number for number in _sum(line[1])), line[0]))
    starts = list(question.starts())
    row = {
        "since": question.window.since,
        "until": question.window.until,
        "base": "rollups",
        "step": question.step,
        "zone": question.zone.key,
        "lines": [_line(value, points, starts) for value, points in ranked[:MOST_LINES]],
        "others": _line("", _together([points for _, points in ranked[MOST_LINES:]]), starts),
        "others_count": max(0, len(ranked) - MOST_LINES),
    }
    return Series.of(row)


def _lines(reading: Reading, question: SeriesQuestion) -> dict[str, dict[datetime, _Numbers]]:
    lines: dict[str, dict[datetime, _Numbers]] = defaultdict(lambda: defaultdict(lambda: (0, 0)))
    for value, at, numbers in _of_days(reading, question) if question.is_of_days else _of_hours(reading, question):
        if question.window.since <= at < question.window.until:
            lines[value][at] = _plus(lines[value][at], numbers)
    return {value: points for value, points in lines.items() if any(map(any, points.values()))}


def _of_hours(reading: Reading, question: SeriesQuestion) -> Iterator[_Counted]:
    # Not by whole hours: where days begin within one, it is of the day before, which is not drawn.
    for row in _rows(reading, question, HOURS, question.window):
        yield row["value"], question.point(row["at"]), (int(row["runs"]), int(row["failures"]))


def _of_days(reading: Reading, question: SeriesQuestion) -> Iterator[_Counted]:
    """Days in UTC, each as the day in the zone that has most of it; then the hours that this got wrong."""
    days = question.window.in_days()
    for row in _rows(reading, question, DAYS, days):
        yield row["value"], question.whole_day(row["at"]), (int(row["runs"]), int(row["failures"]))
    hours = question.other_hours()
    if not hours:
        return
    for row in _rows(reading, question, HOURS, days, hour_table.c.hour.in_(hours)):
        runs, failures, at = int(row["runs"]), int(row["failures"]), row["at"]
        yield row["value"], question.point(at), (runs, failures)
        yield row["value"], question.whole_day(at.replace(hour=0)), (-runs, -failures)


def _rows(
    reading: Reading, question: SeriesQuestion, rollup: Rollup, window: Window, *where: ColumnElement[bool]
) -> Sequence[Found]:
    """The counts of a rollup by value and time."""
    value = rollup.table.c[question.by] if question.by else literal("")
    by = [value.label("value"), rollup.table.c[rollup.time].label("at")]
    return reading.rows(rollup.counts(by, question.conditions, window).where(*where))


def _plus(first: _Numbers, second: _Numbers) -> _Numbers:
    return first[0] + second[0], first[1] + second[1]


def _sum(points: Mapping[datetime, _Numbers]) -> tuple[int, int]:
    """Failures and runs."""
    return sum(failures for _, failures in points.values()), sum(runs for runs, _ in points.values())


def _together(lines: list[dict[datetime, _Numbers]]) -> dict[datetime, _Numbers]:
    whole: dict[datetime, _Numbers] = defaultdict(lambda: (0, 0))
    for line in lines:
        for at, numbers in line.items():
            whole[at] = _plus(whole[at], numbers)
    return whole


def _line(value: str, points: Mapping[datetime, _Numbers], starts: list[datetime]) -> dict[str, Any]:
    failures, runs = _sum(points)
    shown = [_point(at, points.get(at, (0, 0))) for at in starts]
    return Line.of({"value": value, "runs": runs, "failures": failures, "points": shown})


def _point(at: datetime, numbers: _Numbers) -> dict[str, Any]:
    runs, failures = numbers
    return Point.of({"at": at, "runs": runs, "failures": failures})
