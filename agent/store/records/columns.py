"""The columns of lists by which records are counted and sorted. No database here."""

from collections.abc import Mapping
from typing import Final

from agent.store.records.filters import LISTS, AnyFilter, BadQuestion

TIME: Final = "time"
"""The time of a list; a list is sorted by it unless asked otherwise."""

DEEPEST: Final = 4
"""Columns by which groups are nested."""

_OWN: Final = ("queue", "job_set", "owner", "cluster", "namespace", "node")
_FAILED: Final = ("category", "subcategory", "origin", "grade", "exit_code", "container")

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "jobs": ("state", *_FAILED, "action", *_OWN),
    "runs": ("phase", *_OWN, "attempt"),
    "failures": (*_FAILED, "occurrence", "fingerprint", *_OWN, "attempt"),
    "verdicts": ("action", "reason", "policy", *_FAILED, "fingerprint", *_OWN, "attempt"),
}
"""By what the records of each list may be counted and sorted."""

COUNTED: Final[Mapping[str, tuple[str, ...]]] = {
    **COLUMNS,
    "pods": (*_FAILED, "fingerprint", "owner", "namespace", "node"),
}
"""By what each may be counted, the pods among them that ``failctl classify`` reads; their owner is the workload."""


def list_of(wanted: AnyFilter) -> str:
    """The name of the list that a filter is for."""
    return next(name for name, kind in LISTS.items() if kind is type(wanted))


def read_groups(kind: str, text: str) -> tuple[str, ...]:
    """The columns that ``category,node`` names. Raises BadQuestion."""
    names = tuple(name.strip().replace("-", "_") for name in text.split(","))
    for name in names:
        if name not in COUNTED[kind]:
            raise BadQuestion(f"{name!r}: {kind} are counted by {spelt(COUNTED[kind])}")
    if len(set(names)) != len(names) or len(names) > DEEPEST:
        raise BadQuestion(f"{text!r}: write each column once, and at most {DEEPEST} of them")
    return names


def read_sort(kind: str, text: str) -> str:
    """The column that ``node``, or ``-node`` for the last first, names, with its sign. Raises BadQuestion."""
    sign, name = ("-" if text.startswith("-") else ""), text.removeprefix("-").replace("-", "_")
    known = (TIME, *COLUMNS[kind])
    if name not in known:
        raise BadQuestion(f"{text!r}: {kind} are sorted by {spelt(known)}, with - before it for the last first")
    return f"{sign}{name}"


def spelt(names: tuple[str, ...]) -> str:
    """Columns as people write them: ``queue, job-set or node``."""
    *most, last = (name.replace("_", "-") for name in names)
    return f"{', '.join(most)} or {last}" if most else last
