"""Writes diagnoses one after another: a card for one, a table for many, documents for programs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Final, TextIO

from agent.console.listing import write_documents
from agent.console.options import ListForm
from agent.console.terminal import palette, visible, width
from agent.ctl.classify.card import Page, card, wait_card
from agent.ctl.classify.counted import counted
from agent.ctl.classify.layout import COUNT, Row, layout
from agent.ctl.classify.order import Order
from agent.ctl.classify.reasoning import Explain, reasoning_lines
from agent.ctl.classify.rows import NORMAL, WIDE, folded, row_of, with_counts, with_verdicts
from agent.ctl.classify.totals import SHOWN, Totals
from agent.ctl.classify.wanted import Wanted
from agent.ctl.counts import CountBy, read_count_by, write_counts
from agent.diagnose.diagnosis import Diagnosis

_AHEAD: Final = 50
"""The number of first rows that decide the widths of a table; later rows are cut to fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown of diagnoses: in which form and order, with which rules, and which are ``wanted``.

    ``decided``: retry policies were asked for verdicts. ``unfold``: pods of a workload have a line each, also where the
    same happened to them. ``count_by``: failures are counted instead of listed.
    """

    form: ListForm = "table"
    explain: Explain | None = None
    wanted: Wanted = field(default_factory=Wanted)
    decided: bool = False
    unfold: bool = False
    order: Order | None = None
    count_by: CountBy | None = None

    @property
    def headings(self) -> Sequence[str]:
        """The columns of a table."""
        columns = WIDE if self.form == "wide" else NORMAL
        return with_verdicts(columns) if self.decided else columns

    @property
    def sorts(self) -> Sequence[str]:
        """The columns by which it may be sorted: all that a line has, shown or not."""
        columns = NORMAL if self.folds else WIDE
        return with_verdicts(columns) if self.decided else columns

    def sorted_by(self, column: str | None) -> "Shown":
        """The same in the order of a column; ``None``: as diagnoses come. Raises UsageError."""
        order = None if column is None else Order.read(column, self.sorts, folds=self.folds)
        return replace(self, order=order)

    def counted_by(self, columns: str, *, sort_by: str | None) -> "Shown":
        """The same as numbers, by columns as ``failctl get`` takes them. Raises UsageError."""
        others = {"sort_by": sort_by, "unfold": self.unfold, "explain": self.explain}
        return replace(self, count_by=read_count_by("pods", columns, others=others))

    @property
    def folds(self) -> bool:
        """Whether a line may be about several pods: not if it has their nodes, or rules below it."""
        return self.form == "table" and self.explain is None and not self.unfold


def write(diagnoses: Iterator[Diagnosis], shown: Shown, out: TextIO) -> None:
    """Write all of them. One diagnosis is one card or object; more, or those that were asked for, are a list."""
    if shown.count_by is not None:
        _write_counts(diagnoses, shown, shown.count_by, out)
        return
    if shown.form in ("table", "wide"):
        _for_people(diagnoses, shown, out)
        return
    from agent.ctl.classify.document import document  # noqa: PLC0415 - imports protobuf, which people's forms need not

    wanted = _ordered(filter(shown.wanted.has, diagnoses), shown)
    ahead = list(islice(wanted, 2))
    documents = (
        document(diagnosis, explain=shown.explain, decided=shown.decided) for diagnosis in chain(ahead, wanted)
    )
    if shown.form == "json" and _is_one(ahead, shown):
        out.writelines(f"{json.dumps(answer, indent=2)}\n" for answer in documents)
    else:
        write_documents(documents, shown.form, name=lambda answer: str(answer["name"]), out=out)
    out.flush()


def _ordered(diagnoses: Iterator[Diagnosis], shown: Shown) -> Iterator[Diagnosis]:
    """The diagnoses as they come, unless an order is asked for, for which all are kept."""
    return diagnoses if shown.order is None else iter(shown.order.sorted(diagnoses, row_of))


def _for_people(diagnoses: Iterator[Diagnosis], shown: Shown, out: TextIO) -> None:
    totals = Totals()
    wanted = totals.counting(diagnoses, shown.wanted.has)
    ahead = list(islice(wanted, 2))
    found = chain(ahead, wanted)
    lines = _card(ahead[0], shown, out) if _is_one(ahead, shown) else _table(found, shown, out)
    out.writelines(f"{line}\n" for line in lines)
    if totals.states and not _is_one(ahead, shown):
        most = None if shown.form == "wide" else SHOWN
        out.writelines(f"{line}\n" for line in totals.lines(width(out), most=most))
    out.flush()


def _write_counts(diagnoses: Iterator[Diagnosis], shown: Shown, by: CountBy, out: TextIO) -> None:
    totals = Totals()
    counts = counted(totals.counting(diagnoses, shown.wanted.has), by.columns)
    base = list(totals.sentences(are="match")) if totals.states else []
    write_counts(counts, by, shown.form, base=base, out=out)
    out.flush()


def _is_one(ahead: list[Diagnosis], shown: Shown) -> bool:
    return len(ahead) == 1 and shown.wanted.is_any


def _card(diagnosis: Diagnosis, shown: Shown, out: TextIO) -> Iterator[str]:
    page = Page(columns=width(out), palette=palette(out))
    if diagnosis.failure is not None:
        yield from card(
            diagnosis.name,
            diagnosis.failure,
            page,
            node=diagnosis.node,
            owners=diagnosis.owners,
            still=diagnosis.wait,
            foreseen=diagnosis.foreseen,
            follows=diagnosis.follows,
        )
    elif diagnosis.wait is not None:
        yield from wait_card(diagnosis.name, diagnosis.wait, page, node=diagnosis.node)
    else:
        yield f"{visible(diagnosis.name) or 'this pod'}: healthy: {visible(diagnosis.reason)}"
    yield from reasoning_lines(diagnosis.considerations, explain=shown.explain, columns=page.columns)


def _table(found: Iterator[Diagnosis], shown: Shown, out: TextIO) -> Iterator[str]:
    """A line for each, or for several that are alike; ``wide`` is never cut."""
    terminal = width(out)
    if shown.folds:
        yield from _folded_table(found, shown, terminal)
        return
    diagnoses = _ordered(found, shown)
    ahead = list(islice(diagnoses, _AHEAD))
    cut_at = None if shown.form == "wide" else terminal
    laid_out = layout(list(map(row_of, ahead)), headings=shown.headings, terminal=cut_at)
    if ahead:
        yield laid_out.heading()
    for diagnosis in chain(ahead, diagnoses):
        yield from laid_out.lines(row_of(diagnosis))
        yield from reasoning_lines(diagnosis.considerations, explain=shown.explain, columns=terminal)
    if ahead:
        yield ""


def _folded_table(found: Iterable[Diagnosis], shown: Shown, terminal: int | None) -> Iterator[str]:
    rows: Sequence[Row] = folded(found, shown.headings)
    if shown.order is not None:
        rows = shown.order.sorted(rows, lambda row: row)
    has_counts = any(row[COUNT] != "1" for row in rows)
    headings = with_counts(shown.headings) if has_counts else shown.headings
    laid_out = layout(rows, headings=headings, terminal=terminal)
    if rows:
        yield laid_out.heading()
    for row in rows:
        yield from laid_out.lines(row)
    if rows:
        yield ""
