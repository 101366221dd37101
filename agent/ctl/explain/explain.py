"""``failctl explain``: what happened to a job, run after run, what was decided, and why."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from agent.console.exits import Exit
from agent.console.listing import as_yaml
from agent.console.options import DocumentForm
from agent.console.program_paths import ProgramPaths
from agent.console.terminal import palette, width
from agent.core.units import counted
from agent.ctl.asked import for_job
from agent.ctl.destination import StoreAddress
from agent.ctl.explain.attempts import Clock
from agent.ctl.explain.card import Screen, card
from agent.ctl.naming import candidate_lines, find_one, in_cluster
from agent.ctl.reading import open_reading
from agent.ctl.server import ServerChoice
from agent.store.recorded import Timeline
from agent.store.records.port import Found, Records

NEWEST = 20
"""Runs read unless all are asked for: more than a card has room for."""

_COLUMNS = 80
"""Cells of a line where there is no terminal."""

_EARLIER = 3
"""Jobs named below a card that had a pod of the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest:
    """What was asked: a job or a run, where the store is, the form of the answer, whether all of it, times in UTC."""

    identifier: str
    store: str | None = None
    settings: Path | None = None
    server: ServerChoice = field(default_factory=ServerChoice)
    output: DocumentForm = "table"
    details: bool = False
    utc: bool = False


def run(request: ExplainRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO, now: datetime) -> Exit:
    """Explain how it stands ``now``.

    Raises NotFoundError where the store has none so named, or several; UsageError and UnreachableError.
    """
    asked = for_job(_address(request), request.server, environ, err=err)
    with open_reading(asked, environ) as reading:
        named = find_one(reading.records, request.identifier, now=now, advice=in_cluster(request.identifier))
        found = reading.timeline(named, newest=None if request.details else NEWEST, now=now)
        write(found, request, out, now=now)
        if request.output == "table":
            out.writelines(f"{line}\n" for line in _earlier(reading.records, named, now=now))
    return Exit.FINE


def _earlier(records: Records, named: Found, *, now: datetime) -> Iterator[str]:
    """The other jobs whose pods had the name, by which people may have meant another."""
    if not named.earlier:
        return
    shown = named.earlier[:_EARLIER]
    some = f", of which the newest {len(shown)} are" if len(shown) < named.earlier_count else ""
    jobs = counted(named.earlier_count, "earlier job")
    yield ""
    yield f"  {jobs} had a pod of this name{some}:"
    yield from candidate_lines(records, shown, now=now)


def _address(request: ExplainRequest) -> StoreAddress:
    return StoreAddress(url=request.store, settings=request.settings)


def write(found: Timeline, request: ExplainRequest, out: TextIO, *, now: datetime) -> None:
    """Write a timeline as asked. JSON and YAML escape all but ASCII, so that nothing hostile reaches a terminal."""
    if request.output == "table":
        _write_card(found, request, out, now=now)
        return
    from agent.ctl.explain.document import document  # noqa: PLC0415 - imports protobuf, which a card needs not

    whole = document(found)
    out.write(json.dumps(whole, indent=2) + "\n" if request.output == "json" else as_yaml(whole))


def _write_card(found: Timeline, request: ExplainRequest, out: TextIO, *, now: datetime) -> None:
    clock = Clock(now=now, zone=UTC if request.utc else None)
    if request.details:
        from agent.ctl.classify.card import Page  # noqa: PLC0415 - no card of a job needs it
        from agent.ctl.explain.details import details  # noqa: PLC0415 - as above

        lines = details(found, clock=clock, page=Page(columns=width(out), palette=palette(out)))
    else:
        screen = Screen(
            columns=width(out) or _COLUMNS,
            palette=palette(out),
            program=ProgramPaths.current().find("failctl"),
            where=(*_address(request).options(), *request.server.options()),
        )
        lines = card(found, clock=clock, screen=screen)
    out.writelines(f"{line}\n" for line in lines)
