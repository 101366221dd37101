"""Counts by columns: what ``--count-by`` asks for, nested lines for people, and groups or a row each for programs."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TextIO, TypeVar

from msgspec.structs import replace

from agent.console.columns import Column, line, widened
from agent.console.exits import UsageError
from agent.console.listing import Document, as_yaml
from agent.console.options import ListForm
from agent.console.paragraphs import paragraph
from agent.console.terminal import palette, visible, width
from agent.core.failure_text.times import at
from agent.store.records.columns import COUNTED, DEEPEST, read_groups
from agent.store.records.filters import BadQuestion
from agent.store.records.groups import ROWS, Counts, Group, Value

_NOTHING: Final = "-"
_MORE: Final = "--limit gives more of each level"
Counted = TypeVar("Counted", Counts, Group)
_WITHIN: Final[Mapping[str, str]] = {"node": "cluster", "subcategory": "category"}
"""Columns whose values are names only within a value of another: two clusters may each have a node-1."""


class CountBy(NamedTuple):
    """Columns to count by. Those that are ``implied`` tell values of the next one apart, and nobody typed them."""

    columns: tuple[str, ...]
    implied: frozenset[str]


def read_count_by(kind: str, text: str, *, others: Mapping[str, object]) -> CountBy:
    """The columns that ``--count-by`` names, each within the one that tells its values apart.

    ``others`` are options by name that are about lists. Raises UsageError, also for one of them that is given.
    """
    for name in (name for name, value in others.items() if value):
        option = f"--{name.replace('_', '-')}"
        raise UsageError(f"--count-by counts all that fits, and {option} is about a list; give one of them")
    try:
        asked = read_groups(kind, text)
    except BadQuestion as error:
        raise UsageError(f"--count-by {error}") from error
    known = COUNTED[kind]
    pairs = ((_WITHIN.get(name), name) for name in asked)
    columns = tuple(dict.fromkeys(name for pair in pairs for name in pair if name in known))
    if len(columns) > DEEPEST:
        raise UsageError(f"--count-by {text} means {','.join(columns)}; write at most {DEEPEST} in all")
    return CountBy(columns, frozenset(columns) - set(asked))


def write_counts(counts: Counts, by: CountBy, form: ListForm, *, base: Sequence[str], out: TextIO) -> None:
    """Write them in a form; ``base`` is said below a table. Raises UsageError for a form that has no numbers."""
    match form:
        case "table" | "wide":
            _write_table(_without_single(counts, by.implied), out)
            out.writelines(f"{text}\n" for said in base for text in paragraph("", said, indent=0, columns=width(out)))
        case "json":
            out.write(f"{json.dumps(_document(counts), indent=2)}\n")
        case "yaml":
            out.write(as_yaml(_document(counts)))
        case "jsonl":
            out.writelines(f"{json.dumps(row)}\n" for row in _rows(counts.by, counts.groups))
        case "name":
            raise UsageError("-o name prints names, and --count-by has numbers; use -o table, json, jsonl or yaml")


def note_more(counts: Counts, form: ListForm, err: TextIO) -> None:
    """Note on ``err`` that there are more groups, where rows do not say so themselves."""
    if form == "jsonl" and _is_cut(counts):
        err.write(json.dumps({"note": f"there are more groups: {_MORE}"}) + "\n")


def _without_single(counts: Counts, implied: Collection[str]) -> Counts:
    """Counts without implied levels that have the same value everywhere, which tells nothing apart."""
    for name in implied:
        depth = counts.by.index(name)
        levels = list(_levels(counts, depth))
        several = any(level.left_out for level in levels)
        if not several and len({group.value for level in levels for group in level.groups}) == 1:
            by = tuple(other for other in counts.by if other != name)
            counts = replace(_lifted(counts, depth), by=by)
    return counts


def _levels(counted: Counts | Group, depth: int) -> Iterator[Counts | Group]:
    if depth == 0:
        yield counted
        return
    for group in counted.groups:
        yield from _levels(group, depth - 1)


def _lifted(counted: Counted, depth: int) -> Counted:
    """The same without the level at this depth, whose groups are single."""
    if depth == 0:
        (single,) = counted.groups
        return replace(counted, groups=single.groups, left_out=single.left_out)
    return replace(counted, groups=tuple(_lifted(group, depth - 1) for group in counted.groups))


def _write_table(counts: Counts, out: TextIO) -> None:
    if not counts.groups:
        return
    names = [name.replace("_", "-").upper() for name in counts.by]
    rows = list(_lines(counts.groups, counts.left_out, depth=0, deepest=len(names)))
    columns = widened([Column(heading="COUNT", right=True), *(Column(heading=name) for name in names)], rows)
    out.write(f"{palette(out).strong(line([column.heading for column in columns], columns))}\n")
    out.writelines(f"{line(row, columns).rstrip()}\n" for row in rows)
    out.write("\n")


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
    return _NOTHING if value is None else visible(str(value))


def base_of(counts: Counts, kind: str) -> Sequence[str]:
    """Of what the numbers are: how many records, from when to when, and by what they were counted."""
    if not counts.count:
        return []
    times = [f"{word} {at(time, UTC)}" for word, time in (("from", counts.since), ("until", counts.until)) if time]
    window = " ".join(times) or "all that are stored"
    by = "" if counts.base == ROWS else ", by whole hours or days in which runs ended"
    more = f"; {_MORE}" if _is_cut(counts) else ""
    return [f"Of {counts.count:,} {kind}, {window}{by}{more}"]


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
