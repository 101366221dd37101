"""The table of all figures, in Markdown: printed, kept in a file by whoever wants to, and read from there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from bench.report.held import Held, digits
from bench.report.run import Measured, NotRun, Outcome

Kept = Mapping[tuple[str, str], float]
"""Values by program and figure."""

_NONE = "-"
_HEAD = ("program", "figure", "value", "target", "share")
_HEAD_BESIDE = ("before", "now / before")


def table(outcomes: Mapping[str, Outcome], *, floor: float, kept: Kept | None = None) -> str:
    """The outcomes by program; beside each figure what it was, if there are kept ones."""
    head = _HEAD if kept is None else _HEAD + _HEAD_BESIDE
    rows = [list(head)]
    for program, outcome in outcomes.items():
        rows += _rows(program, outcome, floor=floor, kept=kept)
    return "\n".join(_lines(rows))


def read(text: str) -> Kept:
    """The values in a table that was printed; lines around it do not matter. Raises ValueError if there is none."""
    rows = [cells for line in text.splitlines() if len(cells := _cells(line)) >= len(_HEAD)]
    kept = {(program, figure): float(value.split()[0]) for program, figure, value, *_ in rows if _is_value(value)}
    if not kept:
        raise ValueError("there is no table of figures")
    return kept


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def _is_value(cell: str) -> bool:
    return cell[:1].isdigit()


def _rows(program: str, outcome: Outcome, *, floor: float, kept: Kept | None) -> Iterator[list[str]]:
    match outcome:
        case NotRun(why):
            yield [program, f"not run: {' '.join(why.split()).replace('|', '/')}"]
        case Measured(held):
            for figure in held:
                before = [] if kept is None else _beside(figure.value, kept.get((program, figure.name)))
                yield [program, figure.name, figure.measured, figure.aim, _share(figure, floor), *before]
            yield from _gone(program, held, kept or {})
        case never:
            assert_never(never)


def _gone(program: str, held: Sequence[Held], kept: Kept) -> Iterator[list[str]]:
    """The figures of this program that the kept table has and this run does not."""
    names = {figure.name for figure in held}
    for (kept_program, name), value in kept.items():
        if kept_program == program and name not in names:
            yield [program, name, _NONE, _NONE, _NONE, digits(value), _NONE]


def _beside(value: float, before: float | None) -> list[str]:
    if before is None:
        return [_NONE, _NONE]
    return [digits(before), f"{value / before:.2f}" if before else _NONE]


def _share(figure: Held, floor: float) -> str:
    return f"{figure.share:.2f}" if figure.share >= floor else f"{figure.share:.2f} MISSED"


def _lines(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """The rows with cells of the same width; the first is the head."""
    columns = len(rows[0])
    filled = [[*row, *[_NONE] * (columns - len(row))] for row in rows]
    widths = [max(map(len, column)) for column in zip(*filled, strict=True)]
    lines = [f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |" for row in filled]
    return [lines[0], f"|{'|'.join('-' * (width + 2) for width in widths)}|", *lines[1:]]
