"""Many diagnoses on a terminal: a line for each, printed at once, then totals.

Widths depend on the terminal and the first rows. On a narrow terminal padding is removed first, then what happened,
then the middle of names; the fault, the advice, the container and the exit code stay.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.console.columns import Column, line
from agent.console.terminal import cells_of, fit, shorten, visible
from agent.core.failure import Failure
from agent.core.failure_text.category import leaf
from agent.core.failure_text.fault import short_fault
from agent.ctl.classify.headline import headline
from agent.ctl.classify.waiting import awaited, container, since
from agent.diagnose.diagnosis import Diagnosis, State
from agent.observe.waiting.wait import Waiting

Row = Mapping[str, str]
"""Cells by heading, made visible."""

WHAT: Final = "WHAT"
NORMAL: Final = ("POD", "CATEGORY", "FAULT", "RETRY", "CONTAINER", "EXIT", WHAT)
WIDE: Final = (*NORMAL[:-1], "NODE", WHAT, "HINT")
_ADVICE, _VERDICT = "RETRY", "VERDICT"
_UNDECIDED: Final = "undecided"
_IN_WORDS: Final = {State.HEALTHY: "healthy", State.WAITS: "waiting", State.NOT_KNOWN: "not known"}

_SHORTENED: Final = {"POD": 12, "CATEGORY": 12, "CONTAINER": 6}
"""Columns that may lose their middle on a narrow terminal, in this order, and the width that they keep."""

_LEAST: Final = {WHAT: 1, "POD": 1, "CATEGORY": 1, "CONTAINER": 1}
"""The least width of columns that shrink, in this order, if another cell of a row is wider than in the first rows."""

_LEAST_WHAT: Final = 12
_WIDEST: Final = 44
"""The largest width of a column; a longer text moves the next columns, or is shortened."""

_TOTALS_SHOWN: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Writes rows. ``terminal`` is its width; ``None`` for a pipe: then no cell is shortened."""

    widths: Mapping[str, int]
    gap: int
    terminal: int | None

    def heading(self) -> str:
        return self.line({heading: heading for heading in self.widths})

    def line(self, row: Row) -> str:
        """The line of a row. It fits the terminal, unless the columns that are never shortened are wider."""
        if self.terminal is None:
            return line([row[name] for name in self.widths], _columns(self.widths), gap=self.gap)
        widths = self._widths_for(row, self.terminal)
        cells = [(fit if name == WHAT else shorten)(row[name], width) for name, width in widths.items()]
        return line(cells, _columns(widths), gap=self.gap)

    def _widths_for(self, row: Row, terminal: int) -> Mapping[str, int]:
        """The widths for one row: if a cell that is never shortened exceeds its column, the others shrink."""
        wanted = {
            name: width if name in _LEAST else max(width, cells_of(row[name])) for name, width in self.widths.items()
        }
        return _narrowed(wanted, terminal - self.gap * (len(wanted) - 1), least=_LEAST)


def _columns(widths: Mapping[str, int]) -> Sequence[Column]:
    return [Column(width=width) for width in widths.values()]


def layout(rows: Sequence[Row], *, headings: Sequence[str], terminal: int | None) -> Layout:
    """The layout for a table that begins with these rows; ``terminal`` is the width, ``None`` for a pipe."""
    natural = {name: min(_WIDEST, max(map(cells_of, (name, *(row[name] for row in rows))))) for name in headings}
    if terminal is None:
        return Layout(widths={**natural, headings[-1]: 0}, gap=2, terminal=None)
    names = {name: width for name, width in natural.items() if name != WHAT}
    for gap in (2, 1):
        left = terminal - sum(names.values()) - gap * len(names)
        if left >= _LEAST_WHAT:
            return Layout(widths={**names, WHAT: left}, gap=gap, terminal=terminal)
    narrowed = _narrowed(names, terminal - (len(names) - 1), least=_SHORTENED)
    return Layout(widths=narrowed, gap=1, terminal=terminal)


def _narrowed(widths: Mapping[str, int], room: int, *, least: Mapping[str, int]) -> Mapping[str, int]:
    narrowed = dict(widths)
    for name in (name for name in least if name in narrowed):
        over = sum(narrowed.values()) - room
        if over > 0:
            narrowed[name] = max(min(least[name], narrowed[name]), narrowed[name] - over)
    return narrowed


def with_verdicts(headings: Sequence[str]) -> Sequence[str]:
    """The columns where retry policies were asked: what they decide takes the place of what rules advise."""
    return [_VERDICT if name == _ADVICE else name for name in headings]


def row_of(diagnosis: Diagnosis) -> Row:
    """The cells of one diagnosis, in every column there is."""
    cells = _unfailed(diagnosis) if diagnosis.failure is None else _failed(diagnosis, diagnosis.failure)
    return {name: visible(cells.get(name) or "-") for name in (*WIDE, _VERDICT)}


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.foreseen is None:
        return ""
    from agent.ctl.classify.verdict import cell  # noqa: PLC0415 - who asks for no verdict imports nothing that decides

    return cell(diagnosis.foreseen)


def _action(diagnosis: Diagnosis) -> str:
    return _UNDECIDED if diagnosis.foreseen is None else diagnosis.foreseen.verdict.action.value


def _unfailed(diagnosis: Diagnosis) -> Row:
    wait = diagnosis.wait
    cells = {"POD": diagnosis.name, "CATEGORY": _IN_WORDS[diagnosis.state], "NODE": diagnosis.node}
    if isinstance(wait, Waiting):
        began = "".join(f" since {text}" for text in since(wait))
        category = leaf(_IN_WORDS[State.WAITS], wait.kind)
        return cells | {
            "CATEGORY": category,
            "CONTAINER": container(wait),
            WHAT: f"for {awaited(wait)}{began}: {wait.because}",
        }
    return cells | {WHAT: diagnosis.reason if wait is None else wait.why}


def _failed(diagnosis: Diagnosis, failure: Failure) -> Row:
    first = headline(diagnosis, failure)
    return {
        "POD": first.name,
        "CATEGORY": first.category,
        "FAULT": short_fault(failure.classification.origin),
        _ADVICE: first.advice or "",
        _VERDICT: _verdict(diagnosis),
        "CONTAINER": first.container,
        "EXIT": "" if first.exit_code is None else str(first.exit_code),
        "NODE": first.node,
        WHAT: first.what,
        "HINT": first.hint,
    }


@dataclass(slots=True)
class Totals:
    """How many pods there were, by category and fault, and by the verdict of retry policies."""

    failed: dict[tuple[str, str], int] = field(default_factory=dict)
    unfailed: Counter[State] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)

    def counting(self, diagnoses: Iterable[Diagnosis]) -> Iterator[Diagnosis]:
        """Yield the diagnoses, and count them."""
        for diagnosis in diagnoses:
            if diagnosis.failure is None:
                self.unfailed[diagnosis.state] += 1
            else:
                first = headline(diagnosis, diagnosis.failure)
                key = (first.category, short_fault(diagnosis.failure.classification.origin))
                self.failed[key] = self.failed.get(key, 0) + 1
                self.verdicts[_action(diagnosis)] += 1
            yield diagnosis

    @property
    def every(self) -> int:
        """The number of all that were counted."""
        return sum(self.failed.values()) + self.unfailed.total()

    def _counts(self) -> str:
        """The number of each answer; there need not be pods that wait, or of which nothing is known."""
        every, others = self.every, (State.WAITS, State.NOT_KNOWN)
        counts = [(sum(self.failed.values()), "failed")]
        counts += [(self.unfailed[state], _IN_WORDS[state]) for state in others if self.unfailed[state]]
        counts.append((self.unfailed[State.HEALTHY], _IN_WORDS[State.HEALTHY]))
        return f"{every} {'pod' if every == 1 else 'pods'}: {', '.join(f'{count} {name}' for count, name in counts)}"

    def lines(self, terminal: int | None) -> Iterator[str]:
        """Most frequent first; ``terminal`` is its width."""
        yield self._counts()
        if set(self.verdicts) - {_UNDECIDED}:
            yield f"verdicts: {', '.join(f'{count} {action}' for action, count in sorted(self.verdicts.items()))}"
        ordered = sorted(self.failed.items(), key=lambda item: (-item[1], item[0]))
        columns = (Column(width=6, right=True), Column(width=8), Column())
        for (category, fault), count in ordered[:_TOTALS_SHOWN]:
            shown = line((str(count), fault, category), columns)
            yield shown if terminal is None else fit(shown, terminal)
        if (more := len(ordered) - _TOTALS_SHOWN) > 0:
            yield f"and {more} more pairs of category and fault"
