"""Records of a list, page after page."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, assert_never

from msgspec.structs import replace

from agent.store.records.filters import (
    MOST,
    AnyFilter,
    FailureFilter,
    JobFilter,
    Part,
    RunFilter,
    VerdictFilter,
)
from agent.store.records.port import AnyRecord, Page, Records


class Enough(Protocol):
    """Whether enough records were found."""

    def __call__(self, found: Sequence[AnyRecord], /) -> bool: ...


def collected(
    records: Records, wanted: AnyFilter, part: Part, limit: int, *, enough: Enough | None = None
) -> tuple[Sequence[AnyRecord], str | None]:
    """The requested number of records, if available, and the key to continue. A short page need not be the last.

    If that is not ``enough``, there are more. Raises the errors of ``records``.
    """
    ask = _asking(records, wanted)
    found: list[AnyRecord] = []
    while True:
        missing = limit - len(found)
        page = ask(replace(part, limit=min(missing if missing > 0 else limit, MOST)))
        found += page.records
        if page.after is None or (len(found) >= limit and (enough is None or enough(found))):
            return found, page.after
        part = replace(part, after=page.after)


def _asking(records: Records, wanted: AnyFilter) -> Callable[[Part], Page[Any]]:
    match wanted:
        case JobFilter():
            return lambda part: records.jobs(wanted, part)
        case RunFilter():
            return lambda part: records.runs(wanted, part)
        case VerdictFilter():
            return lambda part: records.verdicts(wanted, part)
        case FailureFilter():
            return lambda part: records.failures(wanted, part)
        case _:
            assert_never(wanted)
