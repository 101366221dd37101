"""What people ask of submitted jobs: cancel, retry, never-retry. And how the jobs stand."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Final

import structlog
from sqlalchemy import Connection, select

from agent.core.job_event import RequestKind
from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Refused as RefusedRequest
from agent.core.lifecycle.inputs import Cancel, NeverRetry, Retry
from agent.core.lifecycle.refusal_text import refusal_in_words
from agent.core.lifecycle.state import State
from agent.manifests.resource.kind import Kind
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.write import write
from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.rights import Authorizer
from agent.scheduler.service.submitting import queue_scope
from agent.scheduler.service.waiting import Waiting
from agent.store import resources
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.submitted.held import Held
from agent.store.submitted.requests import JobRequest
from agent.store.tables.jobs import table as observed

_log = structlog.get_logger(__name__)

MOST_JOBS: Final = 1_000
"""Jobs of one call; they change in one transaction."""

MOST_REASON: Final = 1_000
"""Characters of a reason."""

_PERMISSIONS: Final = {
    RequestKind.CANCEL: "cancel_jobs",
    RequestKind.RETRY: "retry_jobs",
    RequestKind.NEVER_RETRY: "retry_jobs",
}


class RequestOutcome(StrEnum):
    """What came of a request."""

    DONE = "done"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    NOT_FOUND = "not-found"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestResult:
    """The result for one job; ``state`` and ``wait`` are those after it."""

    job_id: str
    outcome: RequestOutcome
    state: State | None = None
    message: str = ""
    wait: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A job as it stands; ``wait`` is a sentence, empty if nothing holds it."""

    held: Held
    wait: str


class JobRequests:
    """Answers and does what people ask; a ``dry_run`` only says what would come of it.

    Raises StoreError, Refused, Denied and RightsUnknown.
    """

    def __init__(
        self,
        store: Store,
        *,
        rights: Authorizer,
        clock: Callable[[Connection], datetime],
        waiting: Waiting,
    ) -> None:
        self._store = store
        self._rights = rights
        self._clock = clock
        self._waiting = waiting

    def get(self, job_ids: Sequence[str]) -> Sequence[Standing]:
        """The jobs that exist, in the order of the ids."""
        check(job_ids)
        with self._store.read() as connection:
            now = self._clock(connection)
            found = held.load(connection, job_ids)
            waits = self._waiting.sentences(connection, found.values(), now=now)
        return [Standing(held=found[job_id], wait=waits[job_id]) for job_id in job_ids if job_id in found]

    def cancel(
        self, job_ids: Sequence[str], *, who: str, reason: str, dry_run: bool = False
    ) -> Sequence[RequestResult]:
        """End jobs as cancelled, and stop their pods."""
        return self._ask(job_ids, RequestKind.CANCEL, Cancel(), who=who, reason=reason, dry_run=dry_run)

    def retry(
        self, job_ids: Sequence[str], *, again: bool, who: str, reason: str, dry_run: bool = False
    ) -> Sequence[RequestResult]:
        """Grant each job one run outside all budgets; ``again``: also one that succeeded."""
        return self._ask(job_ids, RequestKind.RETRY, Retry(again=again), who=who, reason=reason, dry_run=dry_run)

    def never_retry(
        self, job_ids: Sequence[str], *, who: str, reason: str, dry_run: bool = False
    ) -> Sequence[RequestResult]:
        """Forbid further retries."""
        return self._ask(job_ids, RequestKind.NEVER_RETRY, NeverRetry(), who=who, reason=reason, dry_run=dry_run)

    def _ask(
        self,
        job_ids: Sequence[str],
        kind: RequestKind,
        event: Cancel | Retry | NeverRetry,
        *,
        who: str,
        reason: str,
        dry_run: bool,
    ) -> Sequence[RequestResult]:
        check(job_ids, reason)
        self._rights.check(who, _PERMISSIONS[kind])
        with self._store.decide(self._scopes(job_ids)) as connection:
            now = self._clock(connection)
            found = held.load(connection, job_ids)
            queues = resources.names(connection, Kind.QUEUE)
            advanced = {job_id: _step(held_job, event, now, queues=queues) for job_id, held_job in found.items()}
            if not dry_run:
                asked = partial(JobRequest, kind=kind, by=who, reason=reason, at=now)
                write(connection, [answer.recorded(asked) for answer in advanced.values()], now=now)
            after = [replace(answer.advanced.held, job=answer.advanced.job) for answer in advanced.values()]
            waits = self._waiting.sentences(connection, after, now=now)
            missing = _not_submitted(connection, [job_id for job_id in job_ids if job_id not in found])
        if not dry_run:
            _report(kind, advanced, who=who, reason=reason)
        return [
            missing[job_id] if job_id in missing else advanced[job_id].result(job_id, wait=waits[job_id])
            for job_id in dict.fromkeys(job_ids)
        ]

    def _scopes(self, job_ids: Sequence[str]) -> Collection[str]:
        """The jobs, and their queues: no queue is deleted while a job of it is reopened."""
        with self._store.read() as connection:
            found = held.load(connection, job_ids)
        return {*job_ids, *(queue_scope(held_job.submission.queue) for held_job in found.values())}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a request does to one job."""

    advanced: Advanced
    outcome: RequestOutcome
    message: str = ""

    def recorded(self, asked: Callable[..., JobRequest]) -> Advanced:
        """The job with the request, unless nothing came of it."""
        if self.outcome is RequestOutcome.UNCHANGED:
            return self.advanced
        return self.advanced.asked(asked(job_id=self.advanced.job.job_id, outcome=self.message))

    def result(self, job_id: str, *, wait: str) -> RequestResult:
        state = self.advanced.job.state
        return RequestResult(job_id=job_id, outcome=self.outcome, state=state, message=self.message, wait=wait)


def _step(held_job: Held, event: Cancel | Retry | NeverRetry, now: datetime, *, queues: Collection[str]) -> _Asked:
    before, queue = Advanced.of(held_job), held_job.submission.queue
    if isinstance(event, Retry) and held_job.job.ending is not None and queue not in queues:
        message = f"its queue {queue} does not exist any more; create it: failctl create queue {queue}"
        return _Asked(advanced=before, outcome=RequestOutcome.REFUSED, message=message)
    step = advance(held_job.job, event, now)
    if isinstance(step, RefusedRequest):
        message = refusal_in_words(step, held_job.job)
        return _Asked(advanced=before, outcome=RequestOutcome.REFUSED, message=message)
    changed = step.job != held_job.job
    return _Asked(advanced=before.by(step), outcome=RequestOutcome.DONE if changed else RequestOutcome.UNCHANGED)


def _not_submitted(connection: Connection, job_ids: Sequence[str]) -> Mapping[str, RequestResult]:
    """The results for jobs that nobody submitted: pods of theirs may have been observed."""
    query = select(observed.c.job_id).where(observed.c.job_id.in_(list(job_ids)))
    seen = set(connection.scalars(query)) if job_ids else set()
    return {job_id: _missing(job_id, observed=job_id in seen) for job_id in job_ids}


def _missing(job_id: str, *, observed: bool) -> RequestResult:
    if observed:
        message = "its pods are only observed: it was not submitted here, so its own system decides about its runs"
        return RequestResult(job_id=job_id, outcome=RequestOutcome.REFUSED, message=message)
    message = f"there is no submitted job {job_id}"
    return RequestResult(job_id=job_id, outcome=RequestOutcome.NOT_FOUND, message=message)


def check(names: Sequence[str], reason: str = "", *, noun: str = "job") -> None:
    """Raises Refused for names of jobs, or of another ``noun``, and a reason that no request may have."""
    if not names:
        raise Refused(Why.INVALID, f"name at least one {noun}")
    if len(names) > MOST_JOBS:
        raise Refused(Why.INVALID, f"a call is about at most {MOST_JOBS:,} {noun}s, not {len(names):,}")
    if len(reason) > MOST_REASON:
        raise Refused(Why.INVALID, f"a reason has at most {MOST_REASON:,} characters, not {len(reason):,}")
    if any("\x00" in text for text in (*names, reason)):
        raise Refused(Why.INVALID, "a text with NUL cannot be kept")


def _report(kind: RequestKind, asked: Mapping[str, _Asked], *, who: str, reason: str) -> None:
    for job_id, answer in asked.items():
        if answer.outcome is RequestOutcome.DONE:
            _log.info(f"{kind.value} of job {job_id}", state=answer.advanced.job.state.value, by=who, reason=reason)
