"""``failctl lookout rebuild-rollups``: compares the counts of runs with the rows, and counts again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TextIO

from agent.console.columns import Column, table
from agent.console.exits import Exit
from agent.console.options import Form
from agent.ctl.lookout.connect import LookoutAddress, database_of, open_database
from agent.lookout.upkeep.counts import Difference, differences, rebuild

_SHOWN = (
    Column(heading="ROLLUP"),
    Column(heading="OF"),
    Column(heading="COUNT", right=True),
    Column(heading="ROWS", right=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildRequest:
    """Whose counts. ``check``: only compare."""

    where: LookoutAddress = field(default_factory=LookoutAddress)
    check: bool = False
    output: Form = "table"


def rebuild_rollups(request: RebuildRequest, *, environ: Mapping[str, str], out: TextIO) -> Exit:
    """Count the rows again, or compare only: that exits with code 1 if a count is different.

    Raises UsageError and UnreachableError.
    """
    with open_database(database_of(request.where, environ)) as store:
        found = differences(store) if request.check else rebuild(store)
    if request.output == "json":
        out.write(json.dumps([_document(difference) for difference in found], indent=2) + "\n")
    else:
        out.writelines(f"{text}\n" for text in _lines(found, request))
    return Exit.FINDING if request.check and found else Exit.FINE


def _lines(found: Sequence[Difference], request: RebuildRequest) -> Iterator[str]:
    if not found:
        yield "All counts are those of the rows."
        return
    what = "Counts that differ from the rows" if request.check else "Counts that differed from the rows, and changed"
    yield f"{what}: {len(found):,}"
    yield from table(_SHOWN, [_row(difference) for difference in found])


def _row(difference: Difference) -> tuple[str, ...]:
    at, *others = difference.key.values()
    of = " ".join([f"{at:%Y-%m-%d %H:%M}", *(name or "-" for name in others)])
    return (difference.table, of, _words(difference.stored), _words(difference.counted))


def _words(counts: tuple[int, int]) -> str:
    runs, failures = counts
    return f"{runs:,}, {failures:,} failed"


def _document(difference: Difference) -> dict[str, Any]:
    return {
        "rollup": difference.table,
        "key": {
            name: part.isoformat() if isinstance(part, datetime) else part for name, part in difference.key.items()
        },
        "stored": _counts(difference.stored),
        "counted": _counts(difference.counted),
    }


def _counts(pair: tuple[int, int]) -> dict[str, int]:
    runs, failures = pair
    return {"runs": runs, "failures": failures}
