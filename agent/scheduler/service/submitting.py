"""Jobs that people submit, as the API takes them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never

import msgspec
import structlog
from sqlalchemy import Connection

from agent.core.queue import Queue
from agent.core.submission.forbidden import forbidden_account
from agent.core.submission.submission import Submission
from agent.documents.node import write_path
from agent.documents.problem import ManifestError
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.read import load_resource
from agent.manifests.submission.load import Submitted
from agent.manifests.submission.read import read_submissions
from agent.scheduler.effects.write import submitted
from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.rights import Authorizer
from agent.store import resources
from agent.store.store import Store
from agent.store.submitted import changes, held
from agent.store.submitted.changes import Conflict, Existing, Inserted, NewJob, Outcome

_log = structlog.get_logger(__name__)

_TEXT: Final = "text"
"""The name of a text that came over the API, in its problems."""


def queue_scope(name: str) -> str:
    """The decision scope of a queue: held to submit to it, and to delete it."""
    return f"queue/{name}"


def refusals(submission: Submission, queue: Queue | None) -> Iterator[str]:
    """Yield why the queue does not take the job; ``None``: there is no such queue."""
    if queue is None:
        name = submission.queue
        yield f"there is no queue {name}; create it: failctl create queue {name}"
        return
    if queue.namespaces is not None and submission.namespace not in queue.namespaces:
        allowed = ", ".join(queue.namespaces) or "none"
        yield f"queue {queue.name} does not allow the namespace {submission.namespace}; allowed: {allowed}"
    for found in forbidden_account(submission.pod_spec, allowed=queue.service_accounts or ()):
        yield f"in queue {queue.name}, {found.message}; {found.hint}"


class SubmitOutcome(StrEnum):
    """What happened to a job of a text."""

    SUBMITTED = "submitted"
    EXISTS = "exists"
    CONFLICT = "conflict"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitResult:
    """The result for one job of a text. ``job_id`` is empty if there is none."""

    job_id: str = ""
    name: str
    queue: str
    line: int
    outcome: SubmitOutcome
    message: str = ""
    warnings: Sequence[str] = ()


class Submissions:
    """Accepts jobs. Raises StoreError, Refused, Denied and RightsUnknown."""

    def __init__(
        self,
        store: Store,
        *,
        rights: Authorizer,
        warn: Callable[[Submission], Sequence[str]],
        clock: Callable[[Connection], datetime],
        new_id: Callable[[datetime], str],
    ) -> None:
        self._store = store
        self._rights = rights
        self._warn = warn
        self._clock = clock
        self._new_id = new_id

    def submit(self, text: str, *, queue: str, who: str, dry_run: bool = False) -> tuple[SubmitResult, ...]:
        """Submit every job of a text. A text with errors is refused as a whole, else each job on its own."""
        try:
            jobs = read_submissions(text, file=_TEXT, queue=queue).value_or_raise()
        except ManifestError as error:
            raise Refused(Why.INVALID, str(error)) from error
        self._rights.check(who, "submit_jobs")
        scopes = {queue_scope(job.submission.queue) for job in jobs}
        with self._store.decide(scopes) as connection, connection.begin_nested() as savepoint:
            results = self._submit(connection, jobs, who=who)
            if dry_run:
                savepoint.rollback()
        if not dry_run:
            _report(results, who=who)
            return results
        return tuple(_without_new_id(result) for result in results)

    def _submit(self, connection: Connection, jobs: Sequence[Submitted], *, who: str) -> tuple[SubmitResult, ...]:
        queues = {name: _queue(connection, name) for name in {job.submission.queue for job in jobs}}
        refused = {
            number: "; ".join(said)
            for number, job in enumerate(jobs)
            if (said := list(refusals(job.submission, queues[job.submission.queue])))
        }
        now = self._clock(connection)
        new = {
            number: self._new_job(job.submission, now=now, who=who)
            for number, job in enumerate(jobs)
            if number not in refused
        }
        outcomes = dict(zip(new, changes.insert(connection, list(new.values())), strict=True))
        inserted = [job for number, job in new.items() if isinstance(outcomes[number], Inserted)]
        submitted(connection, inserted, now=now)
        return tuple(
            self._result(job, outcomes.get(number), refused.get(number, "")) for number, job in enumerate(jobs)
        )

    def _new_job(self, submission: Submission, *, now: datetime, who: str) -> NewJob:
        job_id = self._new_id(now)
        own = submission.for_job(job_id)
        pod = {"metadata": {"labels": own.labels, "annotations": own.annotations}, "spec": own.pod_spec}
        return NewJob(
            job_id=job_id,
            pod=msgspec.json.encode(pod),
            submission=held.Submission(
                queue=submission.queue,
                job_set=submission.job_set,
                namespace=submission.namespace,
                submitted_at=now,
                submitted_by=who,
                spec_hash=submission.digest,
                client_id=submission.client_id,
                name=submission.name,
                priority=submission.priority,
                retry_policies=",".join(submission.retry_policies),
            ),
        )

    def _result(self, job: Submitted, outcome: Outcome | None, refused: str) -> SubmitResult:
        given = job.submission
        job_id, sort, message = ("", SubmitOutcome.REFUSED, refused) if outcome is None else _words(outcome, given)
        return SubmitResult(
            job_id=job_id,
            name=given.client_id or write_path(job.at),
            queue=given.queue,
            line=job.line,
            outcome=sort,
            message=message,
            warnings=tuple(self._warnings(job)),
        )

    def _warnings(self, job: Submitted) -> Iterator[str]:
        yield from (f"{found.line}:{found.column}: {found.message}" for found in job.findings)
        yield from (f"{job.line}: {said}" for said in self._warn(job.submission))


def _words(outcome: Outcome, submission: Submission) -> tuple[str, SubmitOutcome, str]:
    match outcome:
        case Inserted(job_id):
            return job_id, SubmitOutcome.SUBMITTED, ""
        case Existing(job_id):
            return job_id, SubmitOutcome.EXISTS, ""
        case Conflict(job_id):
            message = f"queue {submission.queue} has another job under the client id {submission.client_id}: {job_id}"
            return job_id, SubmitOutcome.CONFLICT, message
        case _ as unreachable:
            assert_never(unreachable)


def _queue(connection: Connection, name: str) -> Queue | None:
    """The queue as it is stored. Raises Refused if its text cannot be used any more."""
    row = resources.get(connection, Kind.QUEUE, name)
    if row is None:
        return None
    try:
        value = load_resource(row.text, file=f"queue {name}", kind=Kind.QUEUE).value
    except ManifestError as error:
        raise Refused(Why.INVALID, f"queue {name} cannot be used: {error}") from error
    return value if isinstance(value, Queue) else None


def _without_new_id(result: SubmitResult) -> SubmitResult:
    """A dry run gave the job an id that nothing has."""
    return replace(result, job_id="") if result.outcome is SubmitOutcome.SUBMITTED else result


def _report(results: Sequence[SubmitResult], *, who: str) -> None:
    for queue in sorted({result.queue for result in results}):
        counts = Counter(result.outcome.value for result in results if result.queue == queue)
        _log.info("submissions were answered", queue=queue, by=who, **counts)
