"""Records as lines in columns that fit the terminal. Their texts come from pods, so all of them are made visible."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from agent.console.columns import Column, line, widened
from agent.console.terminal import cells_of, visible
from agent.ctl.pod_names import fit_pod, least_cells

_GAPS: Final = (2, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the texts of a table depend on: the time, and how ids are shortened."""

    now: datetime
    short: Callable[[str], str]


Text = Callable[[Any, View], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column of a table. ``goes`` is the order in which narrow terminals hide it; 0 is never hidden.

    ``is_pod``: its texts are names of pods, whose namespaces are cut before anything is hidden.
    """

    heading: str
    text: Text
    goes: int = 0
    right: bool = False
    is_pod: bool = False


def table(records: Sequence[Any], fields: Sequence[Field], *, view: View, columns: int | None) -> Iterator[str]:
    """A heading and a line for each record; ``columns`` is the terminal's width, ``None`` without a terminal."""
    texts = [[visible(field.text(record, view)) or "-" for field in fields] for record in records]
    kept, gap, room = _fitting(fields, texts, columns)
    rows = [[_cut(fields[at], row[at], room) for at in kept] for row in texts]
    shown = widened([Column(heading=fields[at].heading, right=fields[at].right) for at in kept], rows)
    yield line([column.heading for column in shown], shown, gap=gap)
    yield from (line(row, shown, gap=gap) for row in rows)


def _cut(field: Field, text: str, room: int | None) -> str:
    return fit_pod(text, room) if field.is_pod and room is not None else text


def _fitting(
    fields: Sequence[Field], texts: Sequence[Sequence[str]], columns: int | None
) -> tuple[list[int], int, int | None]:
    """The columns that are kept, the spaces between them, and the room of names of pods if they must be cut.

    Fewer spaces come first, then shorter namespaces, then fewer columns.
    """
    widths = [column.width for column in widened([Column(heading=field.heading) for field in fields], texts)]
    kept = list(range(len(fields)))
    if columns is None:
        return kept, _GAPS[0], None
    while True:
        for gap in _GAPS:
            if _taken(widths, kept, gap) <= columns:
                return kept, gap, None
        room = _room_of_pods(fields, widths, kept, columns)
        if room >= _least_of_pods(fields, texts):
            return kept, _GAPS[-1], room
        leaving = max(kept, key=lambda at: fields[at].goes)
        if fields[leaving].goes == 0:
            return kept, _GAPS[-1], _least_of_pods(fields, texts)
        kept.remove(leaving)


def _taken(widths: Sequence[int], kept: Sequence[int], gap: int) -> int:
    return sum(widths[at] for at in kept) + gap * (len(kept) - 1)


def _room_of_pods(fields: Sequence[Field], widths: Sequence[int], kept: Sequence[int], columns: int) -> int:
    """What the other columns leave to names of pods; -1 without such a column."""
    own = [at for at in kept if fields[at].is_pod]
    return columns - _taken(widths, kept, _GAPS[-1]) + widths[own[0]] if own else -1


def _least_of_pods(fields: Sequence[Field], texts: Sequence[Sequence[str]]) -> int:
    """The room in which every name of a pod is whole."""
    pods = [row[at] for row in texts for at, field in enumerate(fields) if field.is_pod]
    headings = [cells_of(field.heading) for field in fields if field.is_pod]
    return max([*headings, *map(least_cells, pods)], default=0)
