"""Finds runs by what was typed, and tells the scheduler that their pods no longer run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TextIO

from agent.api.v1 import job_pb2 as pb
from agent.client.jobs import JobClient
from agent.console.complaints import complain
from agent.console.exits import Exit, NotFoundError
from agent.console.listing import write_documents
from agent.console.options import ListForm
from agent.console.terminal import visible
from agent.ctl.api import jobs_api
from agent.ctl.api_reading import open_api
from agent.ctl.naming import find_one
from agent.ctl.requests.requests import FINE, OUTCOMES
from agent.ctl.server import DEFAULT, ServerChoice
from agent.ctl.submit.words import state_word
from agent.store.records.port import Kind, Records

_WORDS: Final[Mapping[int, str]] = {
    pb.REQUEST_OUTCOME_DONE: "is confirmed",
    pb.REQUEST_OUTCOME_UNCHANGED: "was confirmed before",
}
_KNOWN: Final = FINE | {pb.REQUEST_OUTCOME_REFUSED}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedRequest:
    """Which runs have stopped, as typed, and why that is known."""

    names: Sequence[str]
    reason: str = ""
    dry_run: bool = False
    output: ListForm = "table"
    where: ServerChoice = field(default_factory=ServerChoice)


def confirm(request: StoppedRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """Confirm all of them, or, if one is not found, none. Raises the errors of ``failctl``."""
    with jobs_api(request.where, environ) as client, open_api(request.where.address(environ) or DEFAULT) as reading:
        names = _whole(client, reading.records, request.names, now=now)
        results = client.confirm_stopped(names, reason=request.reason, dry_run=request.dry_run)
    for result in results:
        if result.outcome not in FINE:
            complain(err, f"{result.name}: {result.message}")
    if request.output in ("table", "wide"):
        out.writelines(f"{text}\n" for result in results for text in _words(result, dry_run=request.dry_run))
    else:
        write_documents(map(_document, results), request.output, name=lambda one: str(one["runId"]), out=out)
    return Exit.FINE if all(result.outcome in FINE for result in results) else Exit.FINDING


def _whole(client: JobClient, records: Records, typed: Sequence[str], *, now: datetime) -> Sequence[str]:
    """The whole ids and uids that are meant: the scheduler knows these, and no parts. Raises NotFoundError."""
    known = {result.name for result in client.confirm_stopped(typed, dry_run=True) if result.outcome in _KNOWN}
    return list(dict.fromkeys(name if name in known else _run_id(records, name, now=now) for name in typed))


def _run_id(records: Records, typed: str, *, now: datetime) -> str:
    named = find_one(records, typed, now=now)
    if named.kind is Kind.RUN:
        return named.id
    shown = visible(named.id)
    raise NotFoundError(
        f"{visible(typed)} means job {shown}, and a run is to be named: failctl explain {shown} --details lists them"
    )


def _words(result: pb.RunRequestResult, *, dry_run: bool) -> Iterator[str]:
    """What came of it, which pod that is, and what its job waits for."""
    if result.outcome not in FINE:
        return
    said = "would be confirmed" if dry_run and result.outcome == pb.REQUEST_OUTCOME_DONE else _WORDS[result.outcome]
    wait = f"; {visible(result.wait)}" if result.wait else ""
    yield (
        f"The stop of run {visible(result.run_id)} {said}: {visible(result.pod)} "
        f"(job {visible(result.job_id)} {state_word(result.state)}{wait})"
    )


def _document(result: pb.RunRequestResult) -> Mapping[str, Any]:
    return {
        "name": result.name,
        "runId": result.run_id,
        "jobId": result.job_id,
        "pod": result.pod,
        "outcome": OUTCOMES.get(result.outcome, "unknown"),
        "state": state_word(result.state) if result.state else None,
        "message": result.message,
        "wait": result.wait,
    }
