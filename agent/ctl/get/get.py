"""``failctl get``: reads records, page after page, or counts them, and writes them in the requested form."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final, TextIO

from msgspec.structs import replace

from agent.console.exits import Exit
from agent.console.paragraphs import command_lines
from agent.console.terminal import width
from agent.ctl.asked import for_lists
from agent.ctl.counts import CountBy, base_of, note_more, write_counts
from agent.ctl.get.output import Output
from agent.ctl.get.pages import collected
from agent.ctl.get.request import GetRequest
from agent.ctl.reading import open_reading
from agent.store.records.filters import MOST
from agent.store.records.port import Records

_BY_FIRST: Final = "Lookout lists jobs by when it first heard of them; --since and --until are about that time."


def run(request: GetRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """List; an empty list is reported on ``err`` and is nothing wrong. Raises UsageError and UnreachableError."""
    part = request.part(now)
    asked = for_lists(request.where, request.server, environ, err=err)
    with open_reading(asked, environ) as reading:
        after = None
        if request.count_by is None:
            after = _list(request, reading.records, now=now, out=out, err=err)
        else:
            _count(request, request.count_by, reading.records, now=now, out=out, err=err)
    as_json = request.output in ("json", "jsonl")
    if asked.lookout is not None and request.kind == "jobs" and (part.since or part.until):
        err.write(f"{json.dumps({'note': _BY_FIRST}) if as_json else _BY_FIRST}\n")
    if after is not None:
        _say_more(after, as_json=as_json, err=err)
    return Exit.FINE


def _list(request: GetRequest, records: Records, *, now: datetime, out: TextIO, err: TextIO) -> str | None:
    """List records; where the list goes on."""
    found, after = collected(records, request.wanted, request.part(now), request.limit)
    output = Output(kind=request.kind, form=request.output, unfold=request.unfold, now=now)
    output.write(found, records, out, more=after is not None)
    if not found:
        _say_nothing(request, err)
    return after


def _count(request: GetRequest, by: CountBy, records: Records, *, now: datetime, out: TextIO, err: TextIO) -> None:
    part = replace(request.part(now), limit=min(request.limit, MOST))
    counts = records.counts(request.wanted, by.columns, part)
    write_counts(counts, by, request.output, base=base_of(counts, request.kind), out=out)
    note_more(counts, request.output, err)
    if not counts.count:
        _say_nothing(request, err)


def _say_nothing(request: GetRequest, err: TextIO) -> None:
    if request.output not in ("json", "jsonl"):
        err.write(f"No {request.kind} match.\n")


def _say_more(after: str, *, as_json: bool, err: TextIO) -> None:
    """Say on ``err`` that there is more."""
    if as_json:
        err.write(json.dumps({"after": after}) + "\n")
        return
    columns = width(err)
    words = f"--after {after}" if columns is None else _broken(after, columns)
    err.write(f"There are more: add {words}\n")


def _broken(after: str, columns: int) -> str:
    """The option on lines that fit the terminal, as a shell reads them."""
    return "\n".join(["\\", *command_lines(["--after", after], indent=2, columns=columns)])
