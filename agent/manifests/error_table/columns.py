"""The columns of the error table's three tables, and rows of other formats as the nodes of a document."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent.documents.node import List, MappingEntry, Node, Scalar, Span, size
from agent.documents.node import Mapping as MappingNode
from agent.manifests.error_table.shapes import API_VERSION, TABLE_KIND


class Part(StrEnum):
    """The parts of a document, each a table."""

    ACTIONS = "actions"
    RULES = "rules"
    CLASSIFICATION = "classification"


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """A table: its name in the database, its columns in order, those with numbers, and its key."""

    table: str
    names: tuple[str, ...]
    numbers: frozenset[str]
    sequence: str

    @property
    def key(self) -> str:
        """The column that numbers the rows."""
        return self.names[0]

    def column(self, written: str) -> str | None:
        """The column of this name, in any case; ``None`` if there is none."""
        return next((name for name in self.names if name.casefold() == written.casefold()), None)


TABLES: Mapping[Part, Columns] = {
    Part.ACTIONS: Columns(
        table="RETRYACTIONS",
        names=("RetryAction_ID", "Retry_Action", "Retry_Description", "Active"),
        numbers=frozenset({"RetryAction_ID"}),
        sequence="RETRYACTIONS_ID_SEQ",
    ),
    Part.RULES: Columns(
        table="RETRYERRORS",
        names=(
            "RetryError_ID",
            "ErrorSource",
            "ErrorCode",
            "RetryAction",
            "Parameters",
            "Architecture",
            "Release",
            "WorkQueue_ID",
            "Description",
            "Expiration_Date",
            "Active",
            "ErrorDiag",
        ),
        numbers=frozenset({"RetryError_ID", "ErrorCode", "RetryAction", "WorkQueue_ID"}),
        sequence="RETRYERRORS_ID_SEQ",
    ),
    Part.CLASSIFICATION: Columns(
        table="ERROR_CLASSIFICATION",
        names=(
            "ID",
            "Error_Source",
            "Error_Code",
            "Error_Diag",
            "Error_Class",
            "Active",
            "Description",
            "Reg_Date",
        ),
        numbers=frozenset({"ID", "Error_Code"}),
        sequence="ERROR_CLASSIFICATION_ID_SEQ",
    ),
}

WIKI_ORDER = (
    *("RetryError_ID", "ErrorSource", "ErrorCode", "RetryAction", "Parameters", "Architecture", "Release"),
    *("WorkQueue_ID", "Description", "Expiration_Date", "Active", "ErrorDiag"),
)
"""The columns of a rule as the statement of PanDA's wiki has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row that was read: its table, position and values; ``numbered`` is false if it has no key."""

    part: Part
    span: Span
    entries: tuple[MappingEntry, ...]
    numbered: bool = True


def as_document(rows: Sequence[Row]) -> Node:
    """The rows as a document of the kind ErrorTable. A row without a key gets the next number after the highest."""
    start = Span(line=1, column=1)
    head = [_entry("apiVersion", API_VERSION, start), _entry("kind", TABLE_KIND, start)]
    for part in Part:
        nodes = list(_numbered([row for row in rows if row.part is part], TABLES[part]))
        if nodes:
            items = List(items=tuple(nodes), span=nodes[0].span, size=1 + sum(map(size, nodes)))
            head.append(MappingEntry(key=part.value, span=items.span, value=items))
    return _mapping(head, start)


def _numbered(rows: Iterable[Row], columns: Columns) -> Iterable[Node]:
    rows = list(rows)
    highest = max((_key(row, columns) for row in rows if row.numbered), default=0)
    for row in rows:
        entries = list(row.entries)
        if not row.numbered:
            highest += 1
            entries.insert(0, _entry(columns.key, highest, row.span))
        yield _mapping(entries, row.span)


def _key(row: Row, columns: Columns) -> int:
    found = next((entry.value for entry in row.entries if entry.key == columns.key), None)
    return found.value if isinstance(found, Scalar) and isinstance(found.value, int) else 0


def _entry(key: str, value: str | int, span: Span) -> MappingEntry:
    return MappingEntry(key=key, span=span, value=Scalar(value=value, text=str(value), span=span, plain=False))


def _mapping(entries: Sequence[MappingEntry], span: Span) -> MappingNode:
    return MappingNode(entries=tuple(entries), span=span, size=1 + sum(1 + size(entry.value) for entry in entries))
