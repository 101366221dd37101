"""Writes records in the requested form: a table for people, with totals, or documents for programs."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TextIO

from msgspec.structs import fields
from pydantic.alias_generators import to_camel

from agent.console.listing import Document, write_documents
from agent.console.options import ListForm
from agent.console.terminal import palette, width
from agent.core.failure_text.fault import origins_in_words
from agent.ctl.get.columns import columns_of, wide
from agent.ctl.get.folding import folded
from agent.ctl.get.table import Field, View, table
from agent.ctl.naming import short_names
from agent.store.records.port import AnyRecord, Records

NAMES: Final[Mapping[str, str]] = {"jobs": "job_id", "runs": "run_id", "failures": "run_id", "verdicts": "run_id"}
"""The field of each kind of records that ``-o name`` prints."""

_FOLDED: Final = frozenset({"failures", "verdicts"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How records of a ``kind`` are written. ``unfold``: a line each. ``now`` is what ages are relative to."""

    kind: str
    form: ListForm
    unfold: bool
    now: datetime

    @property
    def is_table(self) -> bool:
        return self.form in ("table", "wide")

    def write(self, found: Sequence[AnyRecord], records: Records, out: TextIO, *, more: bool) -> None:
        """Write what was found; ``more``: the list goes on. Raises the errors of ``records``."""
        if not self.is_table:
            name = to_camel(NAMES[self.kind])
            write_documents(map(document, found), self.form, name=lambda shown: str(shown[name]), out=out)
            return
        if not found:
            return
        heading, *rows = self.lines(found, records, width(out))
        out.write(f"{palette(out).strong(heading)}\n")
        out.writelines(f"{row}\n" for row in rows)
        out.writelines(f"{line}\n" for line in self.totals(found, more=more))

    def lines(self, found: Sequence[AnyRecord], records: Records, columns: int | None) -> Sequence[str]:
        """The heading and the rows of a table of this width. Raises the errors of ``records``."""
        if self.form == "wide":
            return list(table(found, wide(self.kind), view=self._view(lambda whole: whole), columns=None))
        ids = {getattr(record, name) for record in found for name in ("job_id", "run_id") if hasattr(record, name)}
        names = short_names(records, ids)
        view, shown = self._view(lambda whole: names.get(whole, whole)), columns_of(self.kind, found)
        if self.unfold or self.kind not in _FOLDED:
            return list(table(found, shown, view=view, columns=columns))
        fold = folded(found)
        if len(fold.records) == len(found):
            return list(table(found, shown, view=view, columns=columns))
        counted = list(zip(fold.records, fold.counts, strict=True))
        first, *others = map(_of_record, shown)
        return list(table(counted, (first, _COUNT, *others), view=view, columns=columns))

    def _view(self, short: Callable[[str], str]) -> View:
        return View(now=self.now, short=short)

    def totals(self, found: Sequence[Any], *, more: bool) -> Sequence[str]:
        """How many failures of what is shown are whose fault; nothing for a single record, or for runs."""
        if self.kind == "runs" or len(found) == 1:
            return ()
        counts = Counter(record.origin for record in found if record.origin is not None)
        base = f"{len(found):,} {self.kind}{' shown' if more else ''}"
        likely = Counter(record.origin for record in found if record.corroborated is False)
        said = origins_in_words(counts, likely=likely)
        failed = f", {counts.total():,} with a failure" if self.kind == "jobs" else ""
        return ("", f"Of {base}{failed}: {said}") if said else ()


_COUNT: Final = Field(heading="COUNT", text=lambda counted, _: str(counted[1]), right=True)


def _of_record(field: Field) -> Field:
    """The same column of a record and its count."""
    return replace(field, text=lambda counted, view: field.text(counted[0], view))


def document(record: AnyRecord) -> Document:
    """A record as plain JSON values."""
    values = {to_camel(attribute.name): getattr(record, attribute.name) for attribute in fields(record)}
    return {name: _as_json(value) for name, value in values.items()}


def _as_json(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return {detail.key.value: detail.value for detail in value}
    return value if value is None or isinstance(value, int) else str(value)
