"""What a Lookout is asked: filters, times and columns as parameters of its addresses.

``SORTED`` and ``COUNTED`` are the columns of its lists by which it sorts and counts, by the names that ``failctl`` has.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any, Final

from msgspec import structs

from agent.console.exits import UsageError
from agent.core.failure import Detail
from agent.store.records.columns import TIME, list_of, spelt
from agent.store.records.filters import AnyFilter, CategoryName, JobCondition, JobFilter, Part

MOST: Final = 500
"""Rows of a page of a Lookout, and groups of one level."""

_FAILED: Final = ("category", "subcategory", "origin", "queue", "cluster", "node", "namespace", "owner", "job_set")
_OF_FAILURES: Final = (*_FAILED, "exit_code", "container", "grade", "fingerprint")

SORTED: Final[Mapping[str, tuple[str, ...]]] = {
    "jobs": (TIME, "queue", "job_set", "owner"),
    "runs": (TIME, "queue", "node"),
    "failures": (TIME, "category", "queue", "node"),
    "verdicts": (TIME, "category", "queue", "node"),
}
COUNTED: Final[Mapping[str, tuple[str, ...]]] = {
    "jobs": ("queue", "job_set", "owner", "namespace", "state", "category", "subcategory", "origin", "cluster"),
    "runs": ("phase", "queue", "cluster", "node", "namespace", "owner", "job_set"),
    "failures": (*_OF_FAILURES, "occurrence"),
    "verdicts": (*_OF_FAILURES, "action", "policy"),
}
_OTHER_NAMES: Final = {"phase": "state"}
"""Columns that a Lookout calls otherwise."""

_TIMES: Final = {"jobs": "firstAt", "runs": "firstAt", "failures": "failedAt", "verdicts": "failedAt"}

_OF_LATEST: Final = frozenset({"cluster", "node", "action"})
"""Filters of jobs about the latest run."""

_OF_DECIDED: Final = frozenset({"category", "origin", "grade", "exit_code", "container"})
"""Filters of jobs about the failure that was decided last."""

COMPARED: Final = _OF_LATEST | _OF_DECIDED

_OF_LATEST_RUN: Final = frozenset({JobCondition.STILL_FAILED, JobCondition.WAITING})
"""States in which a Lookout compares the latest run, and it is the one that was decided last."""

_OF_FAILED_RUN: Final = frozenset({JobCondition.ANY_FAILURE, JobCondition.RECOVERED})
"""States in which a Lookout compares a run that failed."""


def asked_of(wanted: AnyFilter) -> Mapping[str, Any]:
    """The filters that are given, by their names."""
    return {
        field.name: value
        for field in structs.fields(wanted)
        if (value := getattr(wanted, field.name)) not in (None, ())
    }


def asked_of_jobs(wanted: JobFilter) -> Mapping[str, Any]:
    """The filters that hold for all jobs that fit: a Lookout compares all of them with one run of a job."""
    asked = asked_of(wanted)
    if wanted.state in _OF_LATEST_RUN:
        return asked
    if wanted.state in _OF_FAILED_RUN or asked.keys() & _OF_DECIDED:
        return {name: value for name, value in asked.items() if name not in _OF_LATEST}
    return asked


def items_of(asked: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Filters as parameters. Details are several."""
    return [
        (_camel(name), text)
        for name, value in asked.items()
        for text in (map(_text, value) if isinstance(value, tuple) else [_text(value)])
    ]


def _text(value: object) -> str:
    match value:
        case CategoryName():
            return value.category if value.subcategory is None else f"{value.category}/{value.subcategory}"
        case Detail():
            return f"{value.key.value}={value.value}"
        case _:
            return str(value)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def items_of_part(kind: str, part: Part) -> Sequence[tuple[str, str]]:
    """A part of a list as parameters. Raises UsageError for an order that a Lookout does not have."""
    given = {"since": part.since, "until": part.until}
    items = [(name, at.astimezone(UTC).isoformat()) for name, at in given.items() if at is not None]
    items.append(("limit", str(min(part.limit, MOST))))
    if part.after is not None:
        items.append(("after", part.after))
    if part.sort is not None:
        items.append(("sort", _sort(kind, part.sort)))
    return items


def _sort(kind: str, sort: str) -> str:
    sign, name = ("-" if sort.startswith("-") else ""), sort.removeprefix("-")
    if name not in SORTED[kind]:
        raise UsageError(f"a Lookout does not sort {kind} by {spelt((name,))}, but by {spelt(SORTED[kind])}")
    return f"{sign}{_TIMES[kind] if name == TIME else _camel(name)}"


def items_of_counts(wanted: AnyFilter, by: Sequence[str], part: Part) -> tuple[str, Sequence[tuple[str, str]]]:
    """The address of counts and its parameters. Raises UsageError for what a Lookout does not count."""
    kind, asked = list_of(wanted), asked_of(wanted)
    for name in by:
        if name not in COUNTED[kind]:
            raise UsageError(f"a Lookout does not count {kind} by {spelt((name,))}, but by {spelt(COUNTED[kind])}")
    if isinstance(wanted, JobFilter) and wanted.state not in _OF_LATEST_RUN and asked.keys() & COMPARED:
        names = tuple(name for name in asked if name in COMPARED)
        raise UsageError(
            f"a Lookout counts jobs of which any run has this {spelt(names)}, not the one that the list shows; add "
            "--state still-failed or --state waiting, or count failures"
        )
    decided = [("action.exists", "true")] if kind == "verdicts" and "action" not in asked else []
    columns = ",".join(_OTHER_NAMES.get(name, _camel(name)) for name in by)
    times = items_of_part(kind, structs.replace(part, after=None, sort=None))
    address = "failures" if kind == "verdicts" else kind
    return f"groups/{address}", [("by", columns), *items_of(asked), *decided, *times]
