"""Writes counts of records by their columns: nested lines for people, groups or a row each for programs."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from agent.console.columns import Column, line, widened
from agent.console.exits import UsageError
from agent.console.listing import Document, as_yaml
from agent.console.options import ListForm
from agent.console.paragraphs import paragraph
from agent.console.terminal import palette, width
from agent.core.failure_text.times import at
from agent.store.records.groups import ROWS, Counts, Group, Value

_NOTHING: Final = "-"
_MORE: Final = "--limit gives more of each level"


def write_counts(counts: Counts, kind: str, form: ListForm, out: TextIO, err: TextIO) -> None:
    """Write them in a form. Raises UsageError for one that has no numbers."""
    match form:
        case "table" | "wide":
            _write_table(counts, kind, out)
        case "json":
            out.write(f"{json.dumps(_document(counts), indent=2)}\n")
        case "yaml":
            out.write(as_yaml(_document(counts)))
        case "jsonl":
            out.writelines(f"{json.dumps(row)}\n" for row in _rows(counts.by, counts.groups))
            if _is_cut(counts):
                err.write(json.dumps({"note": f"there are more groups: {_MORE}"}) + "\n")
        case "name":
            raise UsageError("-o name prints names, and --count-by has numbers; use -o table, json, jsonl or yaml")


def _write_table(counts: Counts, kind: str, out: TextIO) -> None:
    if not counts.groups:
        return
    names = [name.replace("_", "-").upper() for name in counts.by]
    rows = list(_lines(counts.groups, counts.left_out, depth=0, deepest=len(names)))
    columns = widened([Column(heading="COUNT", right=True), *(Column(heading=name) for name in names)], rows)
    out.write(f"{palette(out).strong(line([column.heading for column in columns], columns))}\n")
    out.writelines(f"{line(row, columns).rstrip()}\n" for row in rows)
    out.write("\n")
    out.writelines(f"{text}\n" for text in paragraph("", _base(counts, kind), indent=0, columns=width(out)))


def _lines(groups: Sequence[Group], left_out: int, *, depth: int, deepest: int) -> Iterator[Sequence[str]]:
    """The cells of each group, the groups below it after it. A value is below the heading of its column."""
    before, after = [""] * depth, [""] * (deepest - depth - 1)
    for group in groups:
        yield [f"{group.count:,}", *before, _shown(group.value), *after]
        if depth + 1 < deepest:
            yield from _lines(group.groups, group.left_out, depth=depth + 1, deepest=deepest)
    if left_out:
        yield ["", *before, f"and {left_out:,} more", *after]


def _shown(value: Value) -> str:
    return _NOTHING if value is None else str(value)


def _base(counts: Counts, kind: str) -> str:
    """Of what the numbers are: how many records, from when to when, and by what they were counted."""
    times = [f"{word} {at(time, UTC)}" for word, time in (("from", counts.since), ("until", counts.until)) if time]
    window = " ".join(times) or "all that are stored"
    by = "" if counts.base == ROWS else ", by whole hours or days in which runs ended"
    more = f"; {_MORE}" if _is_cut(counts) else ""
    return f"Of {counts.count:,} {kind}, {window}{by}{more}"


def _is_cut(counted: Counts | Group) -> bool:
    """Whether groups were left out."""
    return bool(counted.left_out) or any(map(_is_cut, counted.groups))


def _document(counts: Counts) -> Document:
    return {
        "by": [_camel(name) for name in counts.by],
        "since": _time(counts.since),
        "until": _time(counts.until),
        "base": counts.base,
        "count": counts.count,
        "groups": list(map(_group, counts.groups)),
        "leftOut": counts.left_out,
    }


def _group(group: Group) -> dict[str, Any]:
    below = list(map(_group, group.groups))
    return {"value": group.value, "count": group.count, "groups": below, "leftOut": group.left_out}


def _rows(by: Sequence[str], groups: Sequence[Group]) -> Iterator[dict[str, Any]]:
    """A row for the values of all columns together."""
    name, *others = map(_camel, by)
    for group in groups:
        if others:
            yield from ({name: group.value, **row} for row in _rows(by[1:], group.groups))
        else:
            yield {name: group.value, "count": group.count}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _time(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
