"""Many diagnoses on a terminal: one line each, written as they come."""

from dataclasses import replace

from agent.console.columns import Column, line
from agent.core.failure import Failure
from agent.ctl.classify.card import leaf, what

_NARROW = 120


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


def row(name: str, failure: Failure, *, shown: tuple[Column, ...], terminal: int | None) -> str:
    """One failure's line, cut to the terminal; a pipe gets it whole."""
    cells = _cells(name, failure)
    return _line([cells[column.heading] for column in shown], shown, terminal=terminal)


def healthy_row(name: str, reason: str, *, shown: tuple[Column, ...], terminal: int | None) -> str:
    """The line of a pod that did not fail."""
    cells = {"POD": name, "CATEGORY": "healthy", "WHAT": reason}
    return _line([cells.get(column.heading, "-") for column in shown], shown, terminal=terminal)


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
        return line(cells, shown)
    # The last column takes what is left.
    left = max(terminal - sum(column.width + 2 for column in shown[:-1]), 1)
    return line(cells, (*shown[:-1], replace(shown[-1], width=left)), cut=True)
