"""Sends the jobs of files to the scheduler, and says what happened to each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from agent.api.v1 import job_pb2 as pb
from agent.client.jobs import JobClient
from agent.console.columns import Column, line, widened
from agent.console.errors import report_error
from agent.console.exits import Exit, UsageError
from agent.console.inputs import Input, inputs
from agent.console.listing import write_documents
from agent.console.options import ListForm
from agent.console.terminal import visible
from agent.ctl.api import jobs_api
from agent.ctl.server import ServerChoice
from agent.ctl.submit.wait import ended_words, state_word, wait_for
from agent.documents.problem import ManifestError
from agent.manifests.submission.read import read_submissions

_OUTCOMES: Final = {
    pb.SUBMIT_OUTCOME_SUBMITTED: "submitted",
    pb.SUBMIT_OUTCOME_EXISTS: "exists",
    pb.SUBMIT_OUTCOME_CONFLICT: "conflict",
    pb.SUBMIT_OUTCOME_REFUSED: "refused",
}
_ACCEPTED: Final = frozenset({pb.SUBMIT_OUTCOME_SUBMITTED, pb.SUBMIT_OUTCOME_EXISTS})


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitRequest:
    """What to submit, and whether to wait for the end of it."""

    files: Sequence[str]
    queue: str = ""
    wait: bool = False
    dry_run: bool = False
    output: ListForm = "table"
    where: ServerChoice = field(default_factory=ServerChoice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A job of a file, what happened to it, and how it stands at the end of waiting."""

    file: str
    result: pb.SubmitResult
    job: pb.Job | None = None

    @property
    def accepted(self) -> bool:
        return self.result.outcome in _ACCEPTED

    @property
    def outcome(self) -> str:
        return _OUTCOMES.get(self.result.outcome, "unknown")


def run(request: SubmitRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """Submit. Raises the errors of ``failctl``."""
    if request.wait and request.dry_run:
        raise UsageError("--wait waits for jobs, and --dry-run submits none: leave one of them out")
    texts = _checked(inputs(request.files), request.queue)
    with jobs_api(request.where, environ) as client:
        found = tuple(_sent(client, texts, request))
        _complain(found, err)
        if request.output in ("table", "wide"):
            out.writelines(f"{text}\n" for text in _table(found, request))
            out.flush()
        found = _ended(client, found, err) if request.wait else found
    if request.output not in ("table", "wide"):
        write_documents(map(_document, found), request.output, name=lambda document: str(document["jobId"]), out=out)
    elif request.wait:
        out.writelines(f"{text}\n" for text in _endings(found))
    return Exit.FINE if all(map(_is_fine, found)) else Exit.FINDING


def _checked(files: Sequence[Input], queue: str) -> Sequence[tuple[str, str]]:
    """The name and the text of each file. Raises UsageError with every problem of all of them at once."""
    problems: list[str] = []
    texts = [(file.name, file.text()) for file in files]
    for name, text in texts:
        try:
            read_submissions(text, file=name, queue=queue).value_or_raise()
        except ManifestError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    return texts


def _sent(client: JobClient, texts: Sequence[tuple[str, str]], request: SubmitRequest) -> Iterator[Submitted]:
    for name, text in texts:
        for result in client.submit(text, queue=request.queue, dry_run=request.dry_run):
            yield Submitted(file=name, result=result)


def _complain(found: Sequence[Submitted], err: TextIO) -> None:
    """Report what was not accepted, and warnings."""
    for submitted in found:
        place = f"{submitted.file}:{submitted.result.line}"
        if not submitted.accepted:
            report_error(err, f"{place}: {submitted.result.name} is not submitted: {submitted.result.message}")
        err.writelines(f"warning: {visible(submitted.file)}:{visible(said)}\n" for said in submitted.result.warnings)
    err.flush()


def _table(found: Sequence[Submitted], request: SubmitRequest) -> Iterator[str]:
    """A heading and a line for each job that has an id, or would get one."""
    shown = [submitted for submitted in found if submitted.accepted]
    rows = [
        (
            submitted.result.name,
            f"would be {submitted.outcome}" if request.dry_run and not submitted.result.job_id else submitted.outcome,
            submitted.result.queue,
            submitted.result.job_id or "-",
        )
        for submitted in shown
    ]
    columns = widened([Column(heading=text) for text in ("NAME", "OUTCOME", "QUEUE", "JOB")], rows)
    if rows:
        yield line([column.heading for column in columns], columns)
        yield from (line(row, columns) for row in rows)


def _ended(client: JobClient, found: Sequence[Submitted], err: TextIO) -> tuple[Submitted, ...]:
    names = {submitted.result.job_id: submitted.result.name for submitted in found if submitted.accepted}
    jobs = wait_for(client, names, err=err)
    return tuple(
        Submitted(
            file=submitted.file,
            result=submitted.result,
            job=jobs.get(submitted.result.job_id) if submitted.accepted else None,
        )
        for submitted in found
    )


def _endings(found: Sequence[Submitted]) -> Iterator[str]:
    for submitted in found:
        if submitted.job is not None:
            yield f"{visible(submitted.result.name)} ({visible(submitted.job.job_id)}) has {ended_words(submitted.job)}"


def _is_fine(submitted: Submitted) -> bool:
    return submitted.accepted and (submitted.job is None or submitted.job.state == pb.JOB_STATE_SUCCEEDED)


def _document(submitted: Submitted) -> Mapping[str, Any]:
    ended = (
        {} if submitted.job is None else {"state": state_word(submitted.job.state), "endedBy": submitted.job.ended_by}
    )
    return {
        "jobId": submitted.result.job_id,
        "name": submitted.result.name,
        "queue": submitted.result.queue,
        "file": submitted.file,
        "line": submitted.result.line,
        "outcome": submitted.outcome,
        "message": submitted.result.message,
        "warnings": list(submitted.result.warnings),
        **ended,
    }
