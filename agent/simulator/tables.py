"""Tables: objects as rows for people, which is how kubectl asks for them (apimachinery: meta/v1, Table)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from agent.json_reader.reader import read_value
from agent.simulator.kinds import Json, Kind
from agent.simulator.printing import PrintedColumn, printer_of
from agent.simulator.status import bad_request
from agent.simulator.times import Now

_GROUP: Final = "meta.k8s.io"
_VERSION: Final = "v1"
_INCLUDES: Final = ("None", "Metadata", "Object")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableForm:
    """An answer as a table. ``include``: how much of its object each row contains."""

    kind: Kind
    include: str = "Metadata"

    def of(self, things: Sequence[Json], metadata: Json, *, now: datetime, headed: bool = True) -> Json:
        """The table of these objects; of a watch only the first is ``headed`` by its columns."""
        columns = [_definition(column) for column in printer_of(self.kind).columns] if headed else None
        return {
            "kind": "Table",
            "apiVersion": f"{_GROUP}/{_VERSION}",
            "metadata": metadata,
            "columnDefinitions": columns,
            "rows": [self._row(thing, now) for thing in things],
        }

    def of_one(self, thing: Json, *, now: datetime, headed: bool = True) -> Json:
        """The table of one object, at its version."""
        version = thing["metadata"].get("resourceVersion", "")
        return self.of([thing], {"resourceVersion": version}, now=now, headed=headed)

    def _row(self, thing: Json, now: datetime) -> Json:
        printer = printer_of(self.kind)
        conditions = list(printer.conditions(thing))
        said = {"conditions": conditions} if conditions else {}
        return {"cells": list(printer.cells(thing, now)), **said, "object": self._object(thing)}

    def _object(self, thing: Json) -> Json | None:
        match self.include:
            case "None":
                return None
            case "Object":
                return thing
            case _:
                head = {"kind": "PartialObjectMetadata", "apiVersion": f"{_GROUP}/{_VERSION}"}
                return {**head, "metadata": thing["metadata"]}


class TableEvents:
    """The lines of a watch with tables in place of objects; only the first says its columns."""

    def __init__(self, form: TableForm, *, now: Now) -> None:
        self._form = form
        self._now = now
        self._headed = True

    def of(self, lines: bytes) -> bytes:
        """These lines, whole ones, as tables."""
        return b"".join(self._line(read_value(line)) for line in lines.splitlines())

    def _line(self, event: Json) -> bytes:
        if event["type"] != "ERROR":  # a Status stays what it is
            table = self._form.of_one(event["object"], now=self._now(), headed=self._headed)
            event, self._headed = {**event, "object": table}, False
        return msgspec.json.encode(event) + b"\n"


def table_form(kind: Kind, accept: str, query: Mapping[str, str]) -> TableForm | None:
    """How a client wants its table; ``None`` for one that prefers the objects themselves. Raises StatusError (400)."""
    if not _prefers_table(accept):
        return None
    include = query.get("includeObject") or "Metadata"
    if include not in _INCLUDES:
        why = f"Invalid value: \"{include}\": must be 'Metadata', 'Object', 'None', or empty"
        raise bad_request(f"Unable to convert to Table as requested: includeObject: {why}")
    return TableForm(kind=kind, include=include)


def _prefers_table(accept: str) -> bool:
    """Whether the first form in an Accept header that is served at all is a table."""
    for media in accept.split(","):
        form, *parameters = (part.strip() for part in media.split(";"))
        given = dict(parameter.partition("=")[::2] for parameter in parameters)
        if form != "application/json":
            continue
        if given.get("as") is None:
            return False
        if (given["as"], given.get("g"), given.get("v")) == ("Table", _GROUP, _VERSION):
            return True
    return False


def _definition(column: PrintedColumn) -> Json:
    return {
        "name": column.name,
        "type": "string",
        "format": "name" if column.name == "Name" else "",
        "description": "",
        "priority": 0 if column.narrow else 1,
    }
