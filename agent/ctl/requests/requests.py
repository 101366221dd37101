"""Finds submitted jobs by what was typed, and asks the scheduler for something about all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TextIO, assert_never

from agent.api.v1 import job_pb2 as pb
from agent.client.jobs import JobClient
from agent.console.exits import Exit
from agent.console.options import ListForm
from agent.console.terminal import visible
from agent.ctl.api import jobs_api
from agent.ctl.api_reading import ApiReading, open_api
from agent.ctl.naming import find_one
from agent.ctl.requests.answers import Answer, show_answers, standing
from agent.ctl.server import DEFAULT, ServerChoice
from agent.store.records.port import Kind

Verb = Literal["cancel", "retry", "never-retry"]

_DONE: Final[Mapping[Verb, str]] = {
    "cancel": "is cancelled",
    "retry": "gets one more run",
    "never-retry": "is not retried any more",
}
_BEFORE: Final[Mapping[Verb, str]] = {
    "cancel": "was cancelled before",
    "retry": "waits for one more run already",
    "never-retry": "was not to be retried before",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsRequest:
    """What to ask, of which jobs as typed, and why."""

    verb: Verb
    jobs: Sequence[str]
    reason: str = ""
    again: bool = False
    output: ListForm = "table"
    where: ServerChoice = field(default_factory=ServerChoice)


def ask(request: JobsRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """Ask for all of them, or, if one is not found, for none. Raises the errors of ``failctl``."""
    address = request.where.address(environ) or DEFAULT
    with open_api(address) as reading:
        job_ids = list(dict.fromkeys(_job_id(reading, typed, now=now) for typed in request.jobs))
    with jobs_api(request.where, environ) as client:
        results = _asked(client, request, job_ids)
    answers = [_answer(request.verb, result) for result in results]
    return show_answers(answers, output=request.output, name="jobId", out=out, err=err)


def _job_id(reading: ApiReading, typed: str, *, now: datetime) -> str:
    """The id of the job that is meant; a run means its job. Raises NotFoundError."""
    named = find_one(reading.records, typed, now=now)
    return named.id if named.kind is Kind.JOB else reading.timeline(named, newest=1, now=now).job_id


def _asked(client: JobClient, request: JobsRequest, job_ids: Sequence[str]) -> Sequence[pb.RequestResult]:
    match request.verb:
        case "cancel":
            return client.cancel(job_ids, reason=request.reason)
        case "retry":
            return client.retry(job_ids, again=request.again, reason=request.reason)
        case "never-retry":
            return client.never_retry(job_ids, reason=request.reason)
        case _:
            assert_never(request.verb)


def _answer(verb: Verb, result: pb.RequestResult) -> Answer:
    words = _DONE if result.outcome == pb.REQUEST_OUTCOME_DONE else _BEFORE
    return Answer(
        result=result,
        about=f"job {result.job_id}",
        line=f"Job {visible(result.job_id)} {words[verb]} ({standing(result)})",
        ids={"jobId": result.job_id},
    )
