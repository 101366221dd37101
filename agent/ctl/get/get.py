"""``failctl get``: reads records, page after page, and writes them in the requested form."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TextIO, assert_never

from msgspec.structs import replace

from agent.console.exits import Exit, UsageError
from agent.console.options import ListForm
from agent.console.paragraphs import command_lines
from agent.console.terminal import width
from agent.ctl.asked import for_lists
from agent.ctl.destination import StoreAddress
from agent.ctl.get.output import Output
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
    unfold: bool = False

    @property
    def kind(self) -> str:
        """The list."""
        return next(name for name, wanted in LISTS.items() if wanted is type(self.wanted))


def read_request(kind: str, given: Mapping[str, Any]) -> GetRequest:
    """The request of options by name. Raises UsageError."""
    asked = [option for option in filters_of(kind) if given[option.name] is not None]
    try:
        values: dict[str, Any] = {option.name: option.read(given[option.name]) for option in asked}
    except BadQuestion as error:
        raise UsageError(str(error)) from error
    return GetRequest(
        wanted=LISTS[kind](**values),
        unfold=given.get("unfold") or False,
        where=StoreAddress(url=given["store"], settings=given["settings"]),
        server=ServerChoice(**{name: given.get(name) for name in ("server", "context", "lookout")}),
        **{name: given[name] for name in ("since", "until", "limit", "after", "output")},
    )


_BY_FIRST: Final = "Lookout lists jobs by when it first heard of them; --since and --until are about that time."


Ask = Callable[[Records, Part], Page[Any]]


def run(request: GetRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """List; an empty list is reported on ``err`` and is nothing wrong. Raises UsageError and UnreachableError."""
    part = _part(request, now)
    asked = for_lists(request.where, request.server, environ, err=err)
    output = Output(kind=request.kind, form=request.output, unfold=request.unfold, now=now)
    with open_reading(asked, environ) as reading:
        ask, records = _asked(request.wanted), reading.records
        found, after = _collected(lambda page_part: ask(records, page_part), part, request.limit)
        output.write(found, records, out, more=after is not None)
    as_json = request.output in ("json", "jsonl")
    if asked.lookout is not None and request.kind == "jobs" and (part.since or part.until):
        err.write(f"{json.dumps({'note': _BY_FIRST}) if as_json else _BY_FIRST}\n")
    _note(request.kind, found, after, as_json=as_json, err=err)
    return Exit.FINE


def _part(request: GetRequest, now: datetime) -> Part:
    """The part of the list that is asked for. Raises UsageError."""
    part = Part(
        since=read_time("--since", request.since, now=now),
        until=read_time("--until", request.until, now=now),
        after=request.after,
    )
    if part.since is not None and part.until is not None and part.since >= part.until:
        raise UsageError("--since is not before --until, so nothing can match")
    return part


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


def _asked(wanted: AnyFilter) -> Ask:
    match wanted:
        case JobFilter():
            return lambda records, part: records.jobs(wanted, part)
        case RunFilter():
            return lambda records, part: records.runs(wanted, part)
        case VerdictFilter():
            return lambda records, part: records.verdicts(wanted, part)
        case FailureFilter():
            return lambda records, part: records.failures(wanted, part)
        case _:
            assert_never(wanted)


def _note(kind: str, found: Sequence[AnyRecord], after: str | None, *, as_json: bool, err: TextIO) -> None:
    """Say on ``err`` that there is nothing, or that there is more."""
    if as_json:
        if after is not None:
            err.write(json.dumps({"after": after}) + "\n")
    elif not found:
        err.write(f"No {kind} match.\n")
    elif after is not None:
        columns = width(err)
        words = f"--after {after}" if columns is None else _broken(after, columns)
        err.write(f"There are more: add {words}\n")


def _broken(after: str, columns: int) -> str:
    """The option on lines that fit the terminal, as a shell reads them."""
    return "\n".join(["\\", *command_lines(["--after", after], indent=2, columns=columns)])
