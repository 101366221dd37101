"""``failctl explain``: what happened to a job, run after run, what was decided, and why."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import yaml

from agent.console.exits import Exit, NotFoundError, UnreachableError, UsageError
from agent.console.options import DocumentForm
from agent.console.terminal import visible
from agent.ctl.addresses import find_address
from agent.ctl.explain.document import document
from agent.ctl.explain.text import brief, everything
from agent.settings.base import Settings
from agent.settings.scheduler import StoreSettings
from agent.store import timeline
from agent.store.errors import BadStoreAddress, StoreError
from agent.store.store import Store
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


class _Section(Settings):
    """The section of the scheduler's settings about the store."""

    store: StoreSettings


def run(request: ExplainRequest, *, environ: Mapping[str, str], out: TextIO) -> Exit:
    """Explain. Raises NotFoundError for an id that the store does not have, UsageError and UnreachableError."""
    found = _find(store_settings(request, environ), request)
    if found is None:
        raise NotFoundError(f"the store has no job and no run {visible(request.identifier)}")
    write(found, request, out)
    return Exit.FINE


def store_settings(request: ExplainRequest, environ: Mapping[str, str]) -> StoreSettings:
    """Where the store is: as given, else as the scheduler's settings or the environment say. Raises UsageError."""
    return find_address(_Section, "store", url=request.store, file=request.settings, environ=environ).store


def _find(store: StoreSettings, request: ExplainRequest) -> Timeline | None:
    newest = None if request.details else NEWEST
    try:
        with Store.attach(store.url, password_file=store.password_file) as opened, opened.read() as connection:
            return timeline.find(connection, request.identifier, newest=newest)
    except BadStoreAddress as error:
        raise UsageError(str(error)) from error
    except StoreError as error:
        raise UnreachableError(f"the store cannot be read: {error}") from error


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
