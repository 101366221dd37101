"""Many diagnoses on a terminal: one line each, written as they come."""

from dataclasses import dataclass

from agent.core.failure import Failure
from agent.ctl.classify.card import leaf, what
from agent.ctl.console.terminal import fit, visible

_NARROW = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's heading and its width in characters; the last column takes what is left."""

    heading: str
    width: int


NORMAL = (
    Column(heading="POD", width=34),
    Column(heading="CATEGORY", width=30),
    Column(heading="ORIGIN", width=9),
    Column(heading="RETRY", width=10),
    Column(heading="CONTAINER", width=14),
    Column(heading="EXIT", width=5),
    Column(heading="WHAT", width=60),
)
WIDE = (*NORMAL[:-1], Column(heading="NODE", width=24), Column(heading="HINT", width=48), NORMAL[-1])


def columns(*, wide: bool, terminal: int | None) -> tuple[Column, ...]:
    """The columns that suit the terminal's width; a pipe (``None``) gets all, uncut."""
    if wide:
        return WIDE
    return NORMAL if terminal is None or terminal >= _NARROW else _short(terminal)


def _short(terminal: int) -> tuple[Column, ...]:
    """Three columns that fit a narrow terminal."""
    name, category = int(terminal * 0.27), int(terminal * 0.4)
    what_happened = max(terminal - name - category - 4, 1)
    return (
        Column(heading="POD", width=name),
        Column(heading="CATEGORY", width=category),
        Column(heading="WHAT", width=what_happened),
    )


def heading(shown: tuple[Column, ...]) -> str:
    return _line([column.heading for column in shown], shown, terminal=None)


def row(name: str, failure: Failure, *, shown: tuple[Column, ...], terminal: int | None) -> str:
    """One failure's line, cut to the terminal; a pipe gets it whole."""
    cells = _cells(name, failure)
    return _line([visible(cells[column.heading]) for column in shown], shown, terminal=terminal)


def healthy_row(name: str, reason: str, *, shown: tuple[Column, ...], terminal: int | None) -> str:
    """The line of a pod that did not fail."""
    cells = {"POD": name, "CATEGORY": "healthy", "WHAT": reason}
    return _line([visible(cells.get(column.heading, "-")) for column in shown], shown, terminal=terminal)


def _cells(name: str, failure: Failure) -> dict[str, str]:
    found = failure.classification
    return {
        "POD": name or "-",
        "CATEGORY": leaf(found.category, found.subcategory),
        "ORIGIN": found.origin.value,
        "RETRY": found.advice.value if found.advice else "-",
        "CONTAINER": failure.culprit_container or "-",
        "EXIT": "-" if failure.exit_code is None else str(failure.exit_code),
        "NODE": failure.node.name if failure.node and failure.node.name else "-",
        "HINT": found.hint or "-",
        "WHAT": what(failure),
    }


def _line(cells: list[str], shown: tuple[Column, ...], *, terminal: int | None) -> str:
    if terminal is None:
        widths = [column.width for column in shown]
        return "  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))]).rstrip()
    taken = sum(column.width + 2 for column in shown[:-1])
    last = max(terminal - taken, 1)
    widths = [column.width for column in shown[:-1]] + [last]
    return "  ".join(fit(cell, width).ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
