"""The error table as SQL: one ``Insert into`` for each row.

Source: "Example to enter a new error" of PanDA's wiki, twiki.cern.ch/twiki/bin/view/PanDA/PanDARetrialModule.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from agent.core.units import counted
from agent.documents.node import MappingEntry, Scalar, Span
from agent.documents.problem import quote
from agent.documents.source import Fault, Source
from agent.manifests.error_table.columns import TABLES, Part, Row
from agent.manifests.error_table.csv import unknown_column

Item = TypeVar("Item")

SCHEMA = "ATLAS_PANDA"

_TOKEN = re.compile(
    r"(?P<skip>\s+|--[^\n]*|/\*.*?\*/)"
    r"|(?P<text>'(?:[^']|'')*')"
    r"|(?P<number>[-+]?[0-9]+(?![\w.]))"
    r'|(?P<word>[A-Za-z_][\w$#]*|"[^"]+")'
    r"|(?P<mark>[().,;])"
    r"|(?P<other>.)",
    re.DOTALL,
)
_TIMES = frozenset({"to_date", "to_timestamp"})
_IGNORED_STATEMENTS = frozenset({"commit", "rollback", "set"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One piece of a statement: its kind, its text without quotes, and its position."""

    kind: str
    text: str
    span: Span


class _StatementError(Exception):
    """A statement cannot be read; the next one is tried."""

    def __init__(self, token: Token, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.fault = Fault(code="syntax", span=token.span, message=message, hint=hint)


def read_sql(source: Source) -> tuple[list[Row], list[Fault]]:
    """Return the rows that are inserted, and what cannot be read. ``commit`` and comments are ignored."""
    rows: list[Row] = []
    faults: list[Fault] = []
    for statement in _statements(source):
        if statement[0].text.casefold() in _IGNORED_STATEMENTS:
            continue
        try:
            rows.append(_Statement(statement).row(faults))
        except _StatementError as error:
            faults.append(error.fault)
    return rows, faults


def write_sql(part: Part, rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Return a statement for each row of columns and values, the values as SQL has them."""
    table = TABLES[part].table
    return "".join(_insert(table, row) for row in rows)


def sql_text(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _insert(table: str, row: Sequence[tuple[str, str]]) -> str:
    columns = ",".join(name.upper() for name, _ in row)
    values = ",".join(value for _, value in row)
    return f"Insert into {SCHEMA}.{table} ({columns})\nvalues ({values});\n"


def _tokens(source: Source) -> Iterator[Token]:
    for found in _TOKEN.finditer(source.text):
        kind = found.lastgroup or "other"
        if kind != "skip":
            text = found.group()
            meant = text[1:-1].replace("''", "'") if kind == "text" else text.strip('"') if kind == "word" else text
            yield Token(kind=kind, text=meant, span=source.span(found.start(), found.end()))


def _statements(source: Source) -> Iterator[list[Token]]:
    statement: list[Token] = []
    for token in _tokens(source):
        if token.text == ";" and token.kind == "mark":
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


class _Statement:
    """Parses one statement, token by token from the left."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._next = 0

    def row(self, faults: list[Fault]) -> Row:
        first = self._expect("insert")
        self._expect("into")
        part = self._table()
        columns = TABLES[part]
        names = self._list(self._column)
        self._expect("values")
        values = self._list(self._value)
        if len(names) != len(values):
            raise _StatementError(
                first, f"the statement has {counted(len(names), 'column')} and {counted(len(values), 'value')}"
            )
        entries, numbered = [], False
        for name, value in zip(names, values, strict=True):
            column = columns.column(name.text)
            if column is None:
                faults.append(unknown_column(name.text, name.span, columns))
            elif value is not None:
                entries.append(MappingEntry(key=column, span=name.span, value=value))
                numbered = numbered or column == columns.key
        return Row(part=part, span=first.span, entries=tuple(entries), numbered=numbered)

    def _take(self) -> Token:
        if self._next == len(self._tokens):
            raise _StatementError(self._tokens[-1], "the statement ends here, before it is complete")
        self._next += 1
        return self._tokens[self._next - 1]

    def _accept(self, text: str) -> bool:
        following = self._tokens[self._next] if self._next < len(self._tokens) else None
        if following is None or following.kind == "text" or following.text.casefold() != text:
            return False
        self._next += 1
        return True

    def _expect(self, word: str) -> Token:
        token = self._take()
        if token.kind == "text" or token.text.casefold() != word:
            hint = "write it like Insert into ATLAS_PANDA.RETRYERRORS (...) values (...);"
            raise _StatementError(token, f"expected {quote(word)}, found {quote(token.text)}", hint)
        return token

    def _table(self) -> Part:
        token = self._take()
        if self._accept("."):
            token = self._take()
        for part, columns in TABLES.items():
            if columns.table.casefold() == token.text.casefold():
                return part
        known = ", ".join(columns.table for columns in TABLES.values())
        raise _StatementError(token, f"{quote(token.text)} is not a table of the error table", f"known: {known}")

    def _list(self, item: Callable[[], Item]) -> list[Item]:
        self._expect("(")
        items = [item()]
        while self._accept(","):
            items.append(item())
        self._expect(")")
        return items

    def _column(self) -> Token:
        token = self._take()
        if token.kind != "word":
            raise _StatementError(token, f"expected a column, found {quote(token.text)}")
        return token

    def _value(self) -> Scalar | None:
        """Read a value; ``None`` for null and for the next number of a sequence."""
        token = self._take()
        if token.kind == "text":
            return Scalar(value=token.text, text=token.text, span=token.span, plain=False)
        if token.kind == "number":
            return Scalar(value=int(token.text), text=token.text, span=token.span)
        word = token.text.casefold()
        if token.kind == "word" and word == "null":
            return None
        if token.kind == "word" and word in ("timestamp", "date"):
            return self._value()
        if token.kind == "word" and word in _TIMES:
            return self._list(self._value)[0]
        last = token
        while self._accept("."):
            last = self._take()
        if last.text.casefold() == "nextval":
            return None
        hint = "values are numbers, texts, null, TIMESTAMP '...', TO_DATE('...', ...) and SEQUENCE.nextval"
        raise _StatementError(token, f"{quote(token.text)} is not a value that can be read here", hint)
