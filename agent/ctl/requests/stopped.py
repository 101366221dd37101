"""Finds runs by what was typed, and tells the scheduler that their pods no longer run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TextIO

from agent.api.v1 import job_pb2 as pb
from agent.client.jobs import JobClient
from agent.console.exits import Exit, NotFoundError
from agent.console.options import ListForm
from agent.console.terminal import visible
from agent.ctl.api import jobs_api
from agent.ctl.api_reading import open_api
from agent.ctl.naming import find_one
from agent.ctl.requests.answers import Answer, show_answers, standing
from agent.ctl.server import DEFAULT, ServerChoice
from agent.store.records.port import Kind, Records

_WORDS: Final[Mapping[int, str]] = {
    pb.REQUEST_OUTCOME_DONE: "is confirmed",
    pb.REQUEST_OUTCOME_UNCHANGED: "was confirmed before",
}
SHORTEST_UID: Final = 8
"""Characters of an orphan's uid, at least."""

_KNOWN: Final = frozenset({*_WORDS, pb.REQUEST_OUTCOME_REFUSED})


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
    answers = [_answer(result, dry_run=request.dry_run) for result in results]
    return show_answers(answers, output=request.output, name="runId", out=out, err=err)


def _whole(client: JobClient, records: Records, typed: Sequence[str], *, now: datetime) -> Sequence[str]:
    """The whole ids and uids that are meant: the scheduler knows these, and no parts. Raises NotFoundError."""
    known = {result.name for result in client.confirm_stopped(typed, dry_run=True) if result.outcome in _KNOWN}
    unknown = [name for name in typed if name not in known]
    orphans = _orphans(client, unknown) if unknown else {}
    return list(
        dict.fromkeys(name if name in known else orphans.get(name) or _run_id(records, name, now=now) for name in typed)
    )


def _orphans(client: JobClient, typed: Sequence[str]) -> Mapping[str, str]:
    """The whole uids of orphans that begin so, as "failctl get orphans" prints them."""
    uids = [orphan.uid for orphan in client.orphans()]
    begun = {name: [uid for uid in uids if len(name) >= SHORTEST_UID and uid.startswith(name)] for name in typed}
    return {name: found[0] for name, found in begun.items() if len(found) == 1}


def _run_id(records: Records, typed: str, *, now: datetime) -> str:
    named = find_one(records, typed, now=now)
    if named.kind is Kind.RUN:
        return named.id
    shown = visible(named.id)
    raise NotFoundError(
        f"{visible(typed)} means job {shown}, and a run is to be named: failctl explain {shown} --details lists them"
    )


def _answer(result: pb.RunRequestResult, *, dry_run: bool) -> Answer:
    """What came of it, which pod that is, and what its job waits for."""
    done = dry_run and result.outcome == pb.REQUEST_OUTCOME_DONE
    said = "would be confirmed" if done else _WORDS.get(result.outcome, "")
    subject = f"run {visible(result.run_id)}" if result.run_id else f"orphan {visible(result.name)}"
    job = f" (job {visible(result.job_id)} {standing(result)})" if result.job_id else ""
    return Answer(
        result=result,
        about=result.name,
        line=f"The stop of {subject} {said}: {visible(result.pod)}{job}",
        ids={"name": result.name, "runId": result.run_id, "jobId": result.job_id, "pod": result.pod},
    )
