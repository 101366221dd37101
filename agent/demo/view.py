"""How decisions are shown: a live table on a terminal, plain lines anywhere else."""

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from agent.console.guard import unguarded
from agent.console.terminal import palette
from agent.core.limit import VerdictAction
from agent.demo.lines import (
    RECOVERED,
    Row,
    Shape,
    decision_line,
    headings,
    in_few_words,
    outcome_word,
    reason_lines,
    shape_for,
)

_ROOM_FOR_FRAME = 5
"""Lines of a terminal for the figures, the headings, the state, the address and the cursor."""
_FEWEST_LINES = 3
_STYLES = {VerdictAction.RETRY.value: "yellow", VerdictAction.FAIL.value: "red", RECOVERED: "green"}


class View(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...

    def show(self, rows: Sequence[Row], *, fresh: Sequence[Row], figures: str, state: str) -> None:
        """``rows`` are all so far, ``fresh`` those not shown before."""


class LiveTable:
    """The newest rows in a table that fills the terminal; ``wide`` with the rest of each. Below it where to look."""

    def __init__(self, out: TextIO, *, wide: bool, address: str) -> None:
        self._wide = wide
        self._address = address
        self._console = Console(
            file=unguarded(out), highlight=False, markup=False, no_color=not palette(out).on, force_terminal=True
        )
        self._live = Live(console=self._console, refresh_per_second=4, transient=False)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._live.__exit__(kind, error, at)

    def show(self, rows: Sequence[Row], *, fresh: Sequence[Row], figures: str, state: str) -> None:
        del fresh
        shape = shape_for(self._console.width)
        room = max(self._console.height - _ROOM_FOR_FRAME, _FEWEST_LINES)
        newest = _newest([list(_lines(row, shape, wide=self._wide)) for row in rows[-room:]], room)
        lines = [Text(figures), Text(headings(shape), style="bold"), *newest, Text(state), Text(self._address)]
        self._live.update(Text("\n", no_wrap=True, overflow="ellipsis").join(lines))


class PlainLines:
    """Every row on a line of its own, for pipes and files; ``wide`` with the rest of it behind."""

    def __init__(self, out: TextIO, *, wide: bool) -> None:
        self._out = out
        self._wide = wide

    def __enter__(self) -> Self:
        self._out.write(headings(shape_for(None)) + "\n")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._out.flush()

    def show(self, rows: Sequence[Row], *, fresh: Sequence[Row], figures: str, state: str) -> None:
        del rows, figures, state
        self._out.writelines(self._line(row) + "\n" for row in fresh)
        self._out.flush()

    def _line(self, row: Row) -> str:
        shape = shape_for(None)
        short = decision_line(row, shape)
        if not self._wide:
            return short
        filled = short + " " * (shape.decision - len(in_few_words(row)))
        return "  ".join((filled, *(text.strip() for text in reason_lines(row, shape))))


def view_on(out: TextIO, *, wide: bool, address: str) -> View:
    """The live table where ``out`` is a terminal, with an address that would scroll away; else plain lines."""
    return LiveTable(out, wide=wide, address=address) if out.isatty() else PlainLines(out, wide=wide)


def _newest(blocks: Sequence[Sequence[Text]], room: int) -> list[Text]:
    """As many of the last blocks as there is room for, whole; the last one always."""
    kept: list[Text] = []
    for block in reversed(blocks):
        if kept and len(block) + len(kept) > room:
            break
        kept = [*block, *kept]
    return kept


def _lines(row: Row, shape: Shape, *, wide: bool) -> Iterator[Text]:
    """The row's own line, which ends in what was decided, and the rest of it."""
    text, word = Text(decision_line(row, shape)), outcome_word(row)
    text.stylize(_STYLES[word], len(text.plain.rstrip().rpartition(word)[0]))
    yield text
    if wide:
        yield from (Text(part, style="dim") for part in reason_lines(row, shape))
