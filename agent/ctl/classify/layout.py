"""The widths of a table of diagnoses, which depend on the terminal and the first rows.

On a narrow terminal padding is removed first, then namespaces are cut, then columns are hidden: what they say is on the
card of a pod. The names of pods stay whole: one that takes more than half of the terminal, or far more than most, has a
line of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.console.columns import Column, line
from agent.console.terminal import cells_of, fit, shorten
from agent.ctl.pod_names import fit_pod, least_cells

Row = Mapping[str, str]
"""Cells by heading, made visible."""

POD: Final = "POD"
COUNT: Final = "COUNT"
CATEGORY: Final = "CATEGORY"
WHAT: Final = "WHAT"

_HIDDEN: Final = ((), ("CONTAINER",), ("CONTAINER", "GRADE"), ("CONTAINER", "GRADE", "EXIT"))
"""What is hidden so that there is room for what happened; most of it says so, too."""
_HIDDEN_LAST: Final = (
    *((WHAT, *hidden) for hidden in _HIDDEN),
    (WHAT, "CONTAINER", "GRADE", "EXIT", "RETRY", "VERDICT"),
)
"""What is hidden where there is no room for what happened."""

_LEAST: Final = {WHAT: 1, "CONTAINER": 1, CATEGORY: 12, POD: 1}
"""The least width of columns that shrink, in this order, if another cell of a row is wider than in the first rows."""
_LEAST_WHAT: Final = 24
_LEAST_CATEGORY: Final = 12
_WIDEST: Final = 44
"""The largest width of a column but that of pods; a longer text moves the next columns, or is shortened."""
_WIDEST_POD: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Writes rows. ``terminal`` is its width; ``None`` for a pipe: then no cell is shortened."""

    widths: Mapping[str, int]
    gap: int
    terminal: int | None

    def heading(self) -> str:
        """The headings, in one line."""
        (only,) = self.lines({heading: heading for heading in self.widths})
        return only

    def lines(self, row: Row) -> Iterator[str]:
        """The line of a row, or two. They fit the terminal, unless the columns that are never shortened are wider."""
        if self.terminal is None:
            yield line([row[name] for name in self.widths], _columns(self.widths), gap=self.gap)
            return
        widths = self._widths_for(row, self.terminal)
        cells = {name: row[name] for name in widths}
        if least_cells(row[POD]) > widths[POD]:
            yield fit_pod(row[POD], self.terminal)
            cells[POD] = ""
        yield line([_cut(name, cells[name], width) for name, width in widths.items()], _columns(widths), gap=self.gap)

    def _widths_for(self, row: Row, terminal: int) -> Mapping[str, int]:
        """The widths for one row: if a cell that should be whole exceeds its column, the others shrink."""
        wanted = {name: max(width, _needed(name, row[name])) for name, width in self.widths.items()}
        return _narrowed(wanted, terminal - self.gap * (len(wanted) - 1))


def _cut(name: str, text: str, width: int) -> str:
    match name:
        case "POD":
            return fit_pod(text, width)
        case "WHAT":
            return fit(text, width)
        case _:
            return shorten(text, width)


def _needed(name: str, text: str) -> int:
    return 0 if name in _LEAST else cells_of(text)


def _columns(widths: Mapping[str, int]) -> Sequence[Column]:
    return [Column(width=width, right=name == COUNT) for name, width in widths.items()]


def _narrowed(widths: Mapping[str, int], room: int) -> Mapping[str, int]:
    narrowed = dict(widths)
    for name in (name for name in _LEAST if name in narrowed):
        over = sum(narrowed.values()) - room
        if over > 0:
            narrowed[name] = max(min(_LEAST[name], narrowed[name]), narrowed[name] - over)
    return narrowed


def layout(rows: Sequence[Row], *, headings: Sequence[str], terminal: int | None) -> Layout:
    """The layout for a table that begins with these rows; ``terminal`` is the width, ``None`` for a pipe."""
    if terminal is None:
        natural = {name: _natural(name, [row[name] for row in rows]) for name in headings}
        return Layout(widths={**natural, headings[-1]: 0}, gap=2, terminal=None)
    pods = _usual([row[POD] for row in rows], terminal // 2)
    natural = {name: _natural(name, pods if name == POD else [row[name] for row in rows]) for name in headings}
    least = max(map(least_cells, (POD, *pods)))
    for gap, widths in _attempts(natural, least):
        left = terminal - sum(widths.values()) - gap * (len(widths) - 1)
        if left >= 0:
            return Layout(widths=_spread(widths, natural, left), gap=gap, terminal=terminal)
    *_, (gap, widths) = _attempts(natural, least)
    return Layout(widths=_narrowed(widths, terminal - gap * (len(widths) - 1)), gap=gap, terminal=terminal)


def _usual(pods: Sequence[str], most: int) -> Sequence[str]:
    """Nineteen of twenty names that need ``most`` cells, the shorter ones: few should not widen the column."""
    fitting = sorted((pod for pod in pods if least_cells(pod) <= most), key=least_cells)
    return fitting[: len(fitting) - len(fitting) // 20]


def _natural(name: str, texts: Sequence[str]) -> int:
    return min(_WIDEST_POD if name == POD else _WIDEST, max(map(cells_of, (name, *texts))))


def _attempts(natural: Mapping[str, int], least_pod: int) -> Iterator[tuple[int, Mapping[str, int]]]:
    """Gaps, and the widths that columns need at least: the one before is better, if it fits."""
    yield 2, {**natural, WHAT: _LEAST_WHAT}
    yield 1, {**natural, WHAT: _LEAST_WHAT}
    cut = {**natural, WHAT: _LEAST_WHAT, POD: min(natural[POD], least_pod)}
    for hidden in (*_HIDDEN, *_HIDDEN_LAST[:-1]):
        yield 1, _without(cut, hidden)
    short = {**cut, CATEGORY: min(cut[CATEGORY], _LEAST_CATEGORY)}
    for hidden in _HIDDEN_LAST[-2:]:
        yield 1, _without(short, hidden)


def _without(widths: Mapping[str, int], hidden: Sequence[str]) -> Mapping[str, int]:
    return {name: width for name, width in widths.items() if name not in hidden}


def _spread(widths: Mapping[str, int], natural: Mapping[str, int], left: int) -> Mapping[str, int]:
    """The widths with what is left: to categories and pods that are cut, then to what happened."""
    spread = dict(widths)
    for name in (CATEGORY, POD):
        more = min(left, natural[name] - spread[name])
        spread[name] += more
        left -= more
    return {**spread, WHAT: spread[WHAT] + left} if WHAT in spread else spread
