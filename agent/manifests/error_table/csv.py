"""The error table as CSV (RFC 4180): a block for each table, its columns in the first line, blank lines between."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.core.units import counted
from agent.documents.node import MappingEntry, Scalar, Span
from agent.documents.problem import nearest_or_all, quote
from agent.documents.scalar import InvalidScalar, resolve
from agent.documents.source import Fault, Source
from agent.manifests.error_table.columns import TABLES, Columns, Part, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell and its position."""

    text: str
    span: Span


def read_csv(source: Source) -> tuple[list[Row], list[Fault]]:
    """Return the rows, and what is wrong with cells and columns; ``rows`` checks the values later."""
    rows: list[Row] = []
    faults: list[Fault] = []
    header: _Header | None = None
    for cells in _lines(source, faults):
        if len(cells) == 1 and not cells[0].text:
            header = None
        elif header is None:
            header = _Header.of(cells, faults)
        elif header.part is not None:
            rows.append(header.row(cells, faults))
    return rows, faults


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """The columns of a block; ``part`` is ``None`` if they belong to no table."""

    part: Part | None
    names: tuple[str | None, ...]

    @classmethod
    def of(cls, cells: Sequence[Cell], faults: list[Fault]) -> "_Header":
        written = [cell.text.strip() for cell in cells]
        part = max(TABLES, key=lambda table: sum(TABLES[table].column(name) is not None for name in written))
        columns = TABLES[part]
        if all(columns.column(name) is None for name in written):
            faults.append(_not_a_header(cells[0]))
            return cls(part=None, names=())
        names = tuple(columns.column(name) for name in written)
        for cell, name in zip(cells, names, strict=True):
            if name is None:
                faults.append(unknown_column(cell.text, cell.span, columns))
        return cls(part=part, names=names)

    def row(self, cells: Sequence[Cell], faults: list[Fault]) -> Row:
        part = self.part or Part.RULES
        columns = TABLES[part]
        if len(cells) != len(self.names):
            message = (
                f"this row has {counted(len(cells), 'cell')}, but its block has {counted(len(self.names), 'column')}"
            )
            faults.append(Fault(code="wrong-number-of-cells", span=cells[0].span, message=message))
        filled = [(name, cell) for name, cell in zip(self.names, cells, strict=False) if name and cell.text]
        entries = tuple(
            MappingEntry(key=name, span=cell.span, value=_value(name, cell, columns)) for name, cell in filled
        )
        numbered = any(name == columns.key for name, _ in filled)
        return Row(part=part, span=cells[0].span, entries=entries, numbered=numbered)


def unknown_column(written: str, span: Span, columns: Columns) -> Fault:
    """Return the fault of a column that its table does not have."""
    hint = nearest_or_all(written, columns.names)
    return Fault(code="unknown-column", span=span, message=f"{columns.table} has no column {quote(written)}", hint=hint)


def write_csv(blocks: Sequence[tuple[Part, Sequence[Sequence[str]]]]) -> str:
    """Return the tables that have rows, each row with the cells of all columns."""
    written = []
    for part, rows in blocks:
        if rows:
            lines = [",".join(TABLES[part].names), *(",".join(map(_quoted, row)) for row in rows)]
            written.append("".join(f"{line}\n" for line in lines))
    return "\n".join(written)


def _quoted(text: str) -> str:
    plain = text == text.strip() and not set(text) & set(',"') and text.isprintable()
    return text if plain else '"' + text.replace('"', '""') + '"'


def _value(name: str, cell: Cell, columns: Columns) -> Scalar:
    value = resolve(cell.text.strip()) if name in columns.numbers else cell.text
    meant = cell.text if isinstance(value, InvalidScalar) or not isinstance(value, int | str) else value
    return Scalar(value=meant, text=cell.text, span=cell.span, plain=name in columns.numbers)


def _not_a_header(cell: Cell) -> Fault:
    known = " or ".join(columns.names[1] for columns in TABLES.values())
    message = f"the first line of a block must name columns; {quote(cell.text)} is not a column"
    return Fault(code="no-head", span=cell.span, message=message, hint=f"known columns are, for example, {known}")


def _lines(source: Source, faults: list[Fault]) -> Iterator[list[Cell]]:
    text, position = source.text, 0
    cells: list[Cell] = []
    while position < len(text) or cells:
        cell, position = _cell(source, position, faults)
        cells.append(cell)
        if text[position : position + 1] == ",":
            position += 1
        else:
            position += 2 if text[position : position + 2] == "\r\n" else 1
            yield cells
            cells = []


def _cell(source: Source, start: int, faults: list[Fault]) -> tuple[Cell, int]:
    text = source.text
    if text[start : start + 1] != '"':
        end = start
        while end < len(text) and text[end] not in ",\n" and text[end : end + 2] != "\r\n":
            end += 1
        return Cell(text=text[start:end], span=source.span(start, end)), end
    end, parts = start + 1, []
    while (quoted := text.find('"', end)) != -1:
        parts.append(text[end:quoted])
        end = quoted + 1
        if text[end : end + 1] != '"':
            return Cell(text="".join(parts), span=source.span(start, end)), end
        parts.append('"')
        end += 1
    faults.append(Fault(code="open-quote", span=source.span(start), message="this quotation mark is never closed"))
    return Cell(text=text[start + 1 :], span=source.span(start)), len(text)
