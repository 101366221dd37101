"""``failctl get``: reads records, page after page, and writes them in the requested form."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TextIO, assert_never

from msgspec.structs import fields, replace
from pydantic.alias_generators import to_camel

from agent.console.exits import Exit, UsageError
from agent.console.listing import Document, write_documents
from agent.console.options import ListForm
from agent.console.paragraphs import command_lines
from agent.console.terminal import palette, width
from agent.ctl.asked import for_lists
from agent.ctl.destination import StoreAddress
from agent.ctl.get import table
from agent.ctl.get.table import Field, View
from agent.ctl.naming import short_names
from agent.ctl.reading import open_reading
from agent.ctl.server import ServerChoice
from agent.ctl.times import read_time
from agent.store.records.filters import (
    LISTS,
    MOST,
    AnyFilter,
    BadQuestion,
    FailureFilter,
    JobFilter,
    Part,
    RunFilter,
    VerdictFilter,
    filters_of,
)
from agent.store.records.port import AnyRecord, Page, Records


@dataclass(frozen=True, slots=True, kw_only=True)
class GetRequest:
    """The query, the options as typed, the store, and the form of the output."""

    wanted: AnyFilter
    since: str | None = None
    until: str | None = None
    limit: int = 50
    after: str | None = None
    where: StoreAddress = field(default_factory=StoreAddress)
    server: ServerChoice = field(default_factory=ServerChoice)
    output: ListForm = "table"


def read_request(kind: str, given: Mapping[str, Any]) -> GetRequest:
    """The request of options by name. Raises UsageError."""
    asked = [option for option in filters_of(kind) if given[option.name] is not None]
    try:
        values: dict[str, Any] = {option.name: option.read(given[option.name]) for option in asked}
    except BadQuestion as error:
        raise UsageError(str(error)) from error
    return GetRequest(
        wanted=LISTS[kind](**values),
        where=StoreAddress(url=given["store"], settings=given["settings"]),
        server=ServerChoice(**{name: given.get(name) for name in ("server", "context", "lookout")}),
        **{name: given[name] for name in ("since", "until", "limit", "after", "output")},
    )


_BY_FIRST: Final = "Lookout lists jobs by when it first heard of them; --since and --until are about that time."


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A kind of records: what it is called, how a page of it is asked for, its columns, and which field names one."""

    kind: str
    columns: tuple[Field, ...]
    name: str
    page: Callable[[Records, Part], Page[Any]]


def run(request: GetRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """List; an empty list is reported on ``err`` and is nothing wrong. Raises UsageError and UnreachableError."""
    listed = _listed(request.wanted)
    part = Part(
        since=read_time("--since", request.since, now=now),
        until=read_time("--until", request.until, now=now),
        after=request.after,
    )
    if part.since is not None and part.until is not None and part.since >= part.until:
        raise UsageError("--since is not before --until, so nothing can match")
    asked = for_lists(request.where, request.server, environ, err=err)
    with open_reading(asked, environ) as reading:
        records = reading.records
        found, after = _collected(lambda page_part: listed.page(records, page_part), part, request.limit)
        ids = {getattr(record, name) for record in found for name in ("job_id", "run_id") if hasattr(record, name)}
        names = short_names(records, ids) if request.output == "table" else {}
        _write(found, listed, request.output, view=View(now=now, short=lambda whole: names.get(whole, whole)), out=out)
    as_json = request.output in ("json", "jsonl")
    if asked.lookout is not None and listed.kind == "jobs" and (part.since or part.until):
        err.write(f"{json.dumps({'note': _BY_FIRST}) if as_json else _BY_FIRST}\n")
    _note(listed, found, after, as_json=as_json, err=err)
    return Exit.FINE


def _collected(
    ask: Callable[[Part], Page[AnyRecord]], part: Part, limit: int
) -> tuple[Sequence[AnyRecord], str | None]:
    """The requested number of records, if available, and the key to continue. A short page need not be the last."""
    found: list[AnyRecord] = []
    while True:
        page = ask(replace(part, limit=min(limit - len(found), MOST)))
        found += page.records
        if page.after is None or len(found) >= limit:
            return found, page.after
        part = replace(part, after=page.after)


def _listed(wanted: AnyFilter) -> Listed:
    match wanted:
        case JobFilter():
            return Listed(kind="jobs", columns=table.JOBS, name="job_id", page=lambda of, part: of.jobs(wanted, part))
        case RunFilter():
            return Listed(kind="runs", columns=table.RUNS, name="run_id", page=lambda of, part: of.runs(wanted, part))
        case VerdictFilter():
            return Listed(
                kind="verdicts", columns=table.VERDICTS, name="run_id", page=lambda of, part: of.verdicts(wanted, part)
            )
        case FailureFilter():
            return Listed(
                kind="failures", columns=table.FAILURES, name="run_id", page=lambda of, part: of.failures(wanted, part)
            )
        case _:
            assert_never(wanted)


def _write(found: Sequence[AnyRecord], listed: Listed, form: ListForm, *, view: View, out: TextIO) -> None:
    if form == "table":
        lines = table.table(found, listed.columns, view=view, columns=width(out))
    elif form == "wide":
        lines = table.table(found, table.wide(listed.columns, listed.kind), view=view, columns=None)
    else:
        documents = map(_document, found)
        write_documents(documents, form, name=lambda document: str(document[to_camel(listed.name)]), out=out)
        return
    if found:
        out.write(f"{palette(out).strong(next(lines))}\n")
        out.writelines(f"{text}\n" for text in lines)


def _document(record: AnyRecord) -> Document:
    values = {to_camel(attribute.name): getattr(record, attribute.name) for attribute in fields(record)}
    return {name: _as_json(value) for name, value in values.items()}


def _as_json(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return {detail.key.value: detail.value for detail in value}
    return value if value is None or isinstance(value, int) else str(value)


def _note(listed: Listed, found: Sequence[AnyRecord], after: str | None, *, as_json: bool, err: TextIO) -> None:
    """Say on ``err`` that there is nothing, or that there is more."""
    if as_json:
        if after is not None:
            err.write(json.dumps({"after": after}) + "\n")
    elif not found:
        err.write(f"No {listed.kind} match.\n")
    elif after is not None:
        columns = width(err)
        words = f"--after {after}" if columns is None else _broken(after, columns)
        err.write(f"There are more: add {words}\n")


def _broken(after: str, columns: int) -> str:
    """The option on lines that fit the terminal, as a shell reads them."""
    return "\n".join(["\\", *command_lines(["--after", after], indent=2, columns=columns)])
