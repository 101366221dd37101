"""Writes diagnoses one after another: a card for one, a table for many, documents for programs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, TextIO

from agent.console.listing import write_documents
from agent.console.options import ListForm
from agent.console.terminal import palette, visible, width
from agent.ctl.classify.card import Page, card, wait_card
from agent.ctl.classify.reasoning import Explain, reasoning_lines
from agent.ctl.classify.table import NORMAL, WIDE, Totals, layout, row_of, with_verdicts
from agent.diagnose.diagnosis import Diagnosis

_AHEAD: Final = 50
"""The number of first rows that decide the widths of a table; later rows are cut to fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown of diagnoses: in which form, with which rules, and whether only of pods that ``failed``.

    ``decided``: retry policies were asked for verdicts.
    """

    form: ListForm = "table"
    explain: Explain | None = None
    failed: bool = False
    decided: bool = False


def write(diagnoses: Iterator[Diagnosis], shown: Shown, out: TextIO) -> None:
    """Write all of them. One diagnosis is one card or object; more, or those that failed, are a list."""
    if shown.form in ("table", "wide"):
        _for_people(diagnoses, shown, out)
        return
    from agent.ctl.classify.document import document  # noqa: PLC0415 - imports protobuf, which people's forms need not

    wanted = _wanted(diagnoses, shown)
    ahead = list(islice(wanted, 2))
    documents = (
        document(diagnosis, explain=shown.explain, decided=shown.decided) for diagnosis in chain(ahead, wanted)
    )
    if shown.form == "json" and len(ahead) == 1 and not shown.failed:
        out.writelines(f"{json.dumps(answer, indent=2)}\n" for answer in documents)
    else:
        write_documents(documents, shown.form, name=lambda answer: str(answer["name"]), out=out)
    out.flush()


def _wanted(diagnoses: Iterator[Diagnosis], shown: Shown) -> Iterator[Diagnosis]:
    return (diagnosis for diagnosis in diagnoses if diagnosis.failure is not None) if shown.failed else diagnoses


def _for_people(diagnoses: Iterator[Diagnosis], shown: Shown, out: TextIO) -> None:
    totals = Totals()
    wanted = _wanted(totals.counting(diagnoses), shown)
    ahead = list(islice(wanted, _AHEAD))
    lines = _card(ahead[0], shown, out) if _is_one(ahead, shown) else _table(ahead, wanted, shown, out)
    out.writelines(f"{line}\n" for line in lines)
    if totals.every and not _is_one(ahead, shown):
        out.writelines(f"{line}\n" for line in totals.lines(width(out)))
    out.flush()


def _is_one(ahead: list[Diagnosis], shown: Shown) -> bool:
    return len(ahead) == 1 and not shown.failed


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
        )
    elif diagnosis.wait is not None:
        yield from wait_card(diagnosis.name, diagnosis.wait, page, node=diagnosis.node)
    else:
        yield f"{visible(diagnosis.name) or 'this pod'}: healthy: {visible(diagnosis.reason)}"
    yield from reasoning_lines(diagnosis.considerations, explain=shown.explain, columns=page.columns)


def _table(ahead: list[Diagnosis], rest: Iterator[Diagnosis], shown: Shown, out: TextIO) -> Iterator[str]:
    """A line for each; ``wide`` is never cut."""
    terminal = width(out)
    columns, cut_at = (WIDE, None) if shown.form == "wide" else (NORMAL, terminal)
    headings = with_verdicts(columns) if shown.decided else columns
    laid_out = layout([row_of(diagnosis) for diagnosis in ahead], headings=headings, terminal=cut_at)
    if ahead:
        yield laid_out.heading()
    for diagnosis in chain(ahead, rest):
        yield laid_out.line(row_of(diagnosis))
        yield from reasoning_lines(diagnosis.considerations, explain=shown.explain, columns=terminal)
    if ahead:
        yield ""
