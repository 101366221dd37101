"""``failctl broker gaps``: which messages of clusters are missing in the scheduler's store."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from agent.console.columns import Column, heading, line, widened
from agent.console.exits import Exit
from agent.console.options import Form
from agent.ctl.destination import StoreAddress
from agent.ctl.store_reading import open_store
from agent.store import sequences
from agent.store.sequences import Gap

_SHOWN = (
    Column(heading="TOPIC"),
    Column(heading="SPOOL"),
    Column(heading="FIRST", right=True),
    Column(heading="LAST", right=True),
    Column(heading="STATE"),
    Column(heading="SENT BEFORE"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GapsRequest:
    """Whose store, and the form of the answer."""

    where: StoreAddress = field(default_factory=StoreAddress)
    output: Form = "table"


def list_gaps(request: GapsRequest, *, environ: Mapping[str, str], out: TextIO) -> Exit:
    """List what is missing; exits with code 1 if messages were lost. Raises UsageError and UnreachableError."""
    with open_store(request.where, environ) as reading, reading.store.read() as connection:
        found = sequences.gaps(connection)
    if request.output == "json":
        out.write(json.dumps([_document(gap) for gap in found], indent=2) + "\n")
    elif found:
        out.writelines(f"{text}\n" for text in _table(found))
    else:
        out.write("No messages are missing.\n")
    return Exit.FINDING if any(gap.lost_at is not None for gap in found) else Exit.FINE


def _table(found: Sequence[Gap]) -> Iterator[str]:
    rows = [
        (
            gap.topic,
            gap.spool_id,
            str(gap.first),
            str(gap.through),
            _state(gap),
            f"{gap.noticed_at:%Y-%m-%d %H:%M:%S} UTC",
        )
        for gap in found
    ]
    shown = widened(_SHOWN, rows)
    yield heading(shown)
    yield from (line(row, shown) for row in rows)


def _state(gap: Gap) -> str:
    return "on its way" if gap.lost_at is None else "lost"


def _document(gap: Gap) -> dict[str, object]:
    return {
        "topic": gap.topic,
        "spool": gap.spool_id,
        "first": gap.first,
        "last": gap.through,
        "state": _state(gap),
        "sentBefore": gap.noticed_at.isoformat(),
        "lostAt": None if gap.lost_at is None else gap.lost_at.isoformat(),
    }
