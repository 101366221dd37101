"""``failctl explain``: what happened to a job, run after run, what was decided, and why."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import yaml

from agent.console.exits import Exit, NotFoundError
from agent.console.options import DocumentForm
from agent.console.terminal import visible
from agent.ctl.explain.document import document
from agent.ctl.explain.text import brief, everything
from agent.ctl.stores import StoreAddress, find_one, open_for_command
from agent.store import timeline
from agent.store.records.stored import StoredRecords
from agent.store.timeline import Timeline

NEWEST = 10
"""Runs shown unless all are asked for; a line counts those that are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest:
    """What was asked: a job or a run, where the store is, the form of the answer, and whether all of it."""

    identifier: str
    store: str | None = None
    settings: Path | None = None
    output: DocumentForm = "table"
    details: bool = False


def run(request: ExplainRequest, *, environ: Mapping[str, str], out: TextIO) -> Exit:
    """Explain. Raises NotFoundError where the store has none so named, or several; UsageError and UnreachableError."""
    found = _find(request, environ)
    write(found, request, out)
    return Exit.FINE


def _find(request: ExplainRequest, environ: Mapping[str, str]) -> Timeline:
    newest = None if request.details else NEWEST
    where = StoreAddress(url=request.store, settings=request.settings)
    with open_for_command(where, environ) as store:
        named = find_one(StoredRecords(store), request.identifier)
        with store.read() as connection:
            found = timeline.find(connection, named.id, newest=newest)
    if found is None:
        raise NotFoundError(f"the store has no {named.kind.value} {visible(named.id)} any more")
    return found


def write(found: Timeline, request: ExplainRequest, out: TextIO) -> None:
    """Write a timeline as asked. JSON and YAML escape all but ASCII, so that nothing hostile reaches a terminal."""
    match request.output:
        case "json":
            out.write(json.dumps(document(found), indent=2) + "\n")
        case "yaml":
            out.write(yaml.safe_dump(document(found), sort_keys=False, allow_unicode=False))
        case _:
            lines = everything(found) if request.details else brief(found)
            out.writelines(f"{line}\n" for line in lines)
