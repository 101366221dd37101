"""Writing an error table: YAML, JSON, CSV, or SQL. What is read from it again is the same table."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum

from agent.core.error_table.row import ACTIONS, ActionRow, ClassificationRow, ErrorRule, ErrorTable
from agent.documents.dump import dump
from agent.manifests.error_table.columns import TABLES, Part
from agent.manifests.error_table.csv import write_csv
from agent.manifests.error_table.shapes import API_VERSION, TABLE_KIND
from agent.manifests.error_table.sql import sql_text, write_sql

Value = str | int | None

_NOT_ASCII = re.compile("[\x7f-\uffff]")
"""Characters that are escaped in JSON. Later ones stay: YAML does not read a pair of surrogates as one character."""


class Format(StrEnum):
    YAML = "yaml"
    JSON = "json"
    CSV = "csv"
    SQL = "sql"


class UnnumberedActionError(ValueError):
    """SQL refers to actions by number, and the actions table has none for this one."""


def write_table(table: ErrorTable, form: Format) -> str:
    """Return the table as a text. Raises UnnumberedActionError where SQL has no number for an action."""
    parts = _parts(table)
    if form is Format.SQL:
        numbers = {action.name: action.identity for action in table.actions}
        return "".join(write_sql(part, [list(_in_sql(part, row, numbers)) for row in rows]) for part, rows in parts)
    if form is Format.CSV:
        cells = [
            (part, [["" if value is None else str(value) for value in row.values()] for row in rows])
            for part, rows in parts
        ]
        return write_csv(cells)
    document: dict[str, object] = {"apiVersion": API_VERSION, "kind": TABLE_KIND}
    document |= {part.value: [_set(row) for row in rows] for part, rows in parts if rows}
    if form is Format.JSON:
        return _NOT_ASCII.sub(_escaped, json.dumps(document, indent=2, ensure_ascii=False)) + "\n"
    return dump(document, allow_unicode=False, width=120)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def _parts(table: ErrorTable) -> list[tuple[Part, list[Mapping[str, Value]]]]:
    """The rows of each part; actions are left out if they are the default ones."""
    actions = () if table.actions == ACTIONS else table.actions
    return [
        (Part.ACTIONS, [_action(row) for row in actions]),
        (Part.RULES, [_rule(row) for row in table.rules]),
        (Part.CLASSIFICATION, [_class(row) for row in table.classification]),
    ]


def _set(row: Mapping[str, Value]) -> dict[str, str | int]:
    return {name: value for name, value in row.items() if value is not None}


def _in_sql(part: Part, row: Mapping[str, Value], numbers: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if part is Part.RULES and name == "RetryAction":
            number = numbers.get(str(value))
            if number is None:
                raise UnnumberedActionError(f"the action {value} has no number in the actions table")
            yield name, str(number)
        elif value is None:
            yield name, "null"
        elif name == "Expiration_Date":
            yield name, f"TIMESTAMP {sql_text(str(value))}"
        else:
            yield name, str(value) if name in TABLES[part].numbers else sql_text(str(value))


def _action(row: ActionRow) -> dict[str, Value]:
    return {
        "RetryAction_ID": row.identity,
        "Retry_Action": str(row.name),
        "Retry_Description": row.description,
        "Active": row.active,
    }


def _rule(row: ErrorRule) -> dict[str, Value]:
    return {
        "RetryError_ID": row.identity,
        "ErrorSource": row.source,
        "ErrorCode": row.code,
        "RetryAction": str(row.action),
        "Parameters": row.parameters,
        "Architecture": row.architecture,
        "Release": row.release,
        "WorkQueue_ID": row.work_queue,
        "Description": row.description,
        "Expiration_Date": None if row.expires_at is None else _time(row.expires_at),
        "Active": row.active,
        "ErrorDiag": row.diag,
    }


def _class(row: ClassificationRow) -> dict[str, Value]:
    return {
        "ID": row.identity,
        "Error_Source": row.source,
        "Error_Code": row.code,
        "Error_Diag": row.diag,
        "Error_Class": row.error_class,
        "Active": row.active,
        "Description": row.description,
        "Reg_Date": None,
    }


def _time(moment: datetime) -> str:
    """Return a time in UTC without a zone, because the column has none."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(sep=" ")
