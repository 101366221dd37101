"""People vouch that the pods of runs no longer live, where nothing else can confirm it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog
from sqlalchemy import Connection, or_, select

from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Step
from agent.core.lifecycle.inputs import Confirmed
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import JobRun
from agent.core.lifecycle.state import State
from agent.core.lifecycle.wait_text import Surroundings
from agent.core.run_event import Confirmation
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.write import write
from agent.scheduler.service.requesting import RequestOutcome, check
from agent.scheduler.service.rights import Authorizer
from agent.scheduler.service.waiting import Waiting
from agent.store.store import Store
from agent.store.submitted import held, requests
from agent.store.submitted.lookup import RunOfJob, runs_named
from agent.store.submitted.requests import JobRequest, RequestKind
from agent.store.tables.runs import table as observed

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmResult:
    """The result for one name; ``state`` and ``wait`` are those of its job after all of the call."""

    name: str
    outcome: RequestOutcome
    run_id: str = ""
    job_id: str = ""
    pod: str = ""
    state: State | None = None
    message: str = ""
    wait: str = ""


class StopConfirmations:
    """Takes a person's word for the stop of pods. Raises StoreError, Refused, Denied and RightsUnknown."""

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

    def confirm(self, names: Sequence[str], *, who: str, reason: str, dry_run: bool = False) -> Sequence[ConfirmResult]:
        """Confirm the stop of these runs, named by their whole ids or the uids of their pods."""
        check(names, reason, noun="run")
        self._rights.check(who, "confirm_stopped_runs")
        with self._store.read() as connection:
            found = runs_named(connection, names)
            seen = _observed(connection, [name for name in names if name not in found])
        job_ids = {run.job_id for runs in found.values() for run in runs}
        with self._store.decide(job_ids) as connection:
            now = self._clock(connection)
            jobs = {job_id: Advanced.of(one) for job_id, one in held.load(connection, job_ids).items()}
            call = _Call(now=now, found=found, only_observed=seen, jobs=jobs, words=[])
            about = self._waiting.surroundings(connection, [one.held for one in call.jobs.values()], now=now)
            for name in dict.fromkeys(names):
                call.take(name)
            if not dry_run:
                self._write(connection, call, who=who, reason=reason)
            after = [replace(one.held, job=one.job) for one in call.jobs.values()]
            waits = self._waiting.sentences(connection, after, now=now)
        if not dry_run:
            _report(call, who=who, reason=reason)
        return [call.result(word, about, waits) for word in call.words]

    def _write(self, connection: Connection, call: "_Call", *, who: str, reason: str) -> None:
        for word in call.words:
            if word.run is not None and word.outcome is not RequestOutcome.UNCHANGED:
                asked = JobRequest(
                    job_id=word.job_id,
                    kind=RequestKind.CONFIRM_STOPPED,
                    by=who,
                    reason=": ".join(filter(None, (f"run {word.run.index + 1}", reason))),
                    at=call.now,
                    outcome=word.message,
                )
                requests.record(connection, asked)
        write(connection, list(call.jobs.values()), now=call.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """What came of a person's word about one name; ``run`` is as it was before."""

    name: str
    outcome: RequestOutcome
    message: str = ""
    job_id: str = ""
    run: JobRun | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """The jobs of one call, each as the words so far have led it on; several may be about one job."""

    now: datetime
    found: Mapping[str, Sequence[RunOfJob]]
    only_observed: Collection[str]
    jobs: dict[str, Advanced]
    words: list[_Word]

    def take(self, name: str) -> None:
        """Take a person's word for the stop of the run with this name."""
        runs = self.found.get(name, ())
        self.words.append(self._confirmed(name, runs[0]) if len(runs) == 1 else self._unnamed(name, runs))

    def result(self, word: _Word, about: Mapping[str, Surroundings], waits: Mapping[str, str]) -> ConfirmResult:
        if word.run is None:
            return ConfirmResult(name=word.name, outcome=word.outcome, message=word.message)
        run, job = word.run, self.jobs[word.job_id].job
        return ConfirmResult(
            name=word.name,
            outcome=word.outcome,
            run_id=run.run_id,
            job_id=job.job_id,
            pod=about[job.job_id].pod(run.pod_name, node=run.node, cluster=run.cluster),
            state=job.state,
            message=word.message,
            wait=waits[job.job_id],
        )

    def _unnamed(self, name: str, runs: Sequence[RunOfJob]) -> _Word:
        if runs:
            message = "pods in several clusters have this uid: name the run"
            return _Word(name=name, outcome=RequestOutcome.REFUSED, message=message)
        if name in self.only_observed:
            message = "its pod is only observed: no submitted job has recorded it, so none waits for its stop"
            return _Word(name=name, outcome=RequestOutcome.REFUSED, message=message)
        message = f"no submitted job has a run {name}, or a pod of this uid"
        return _Word(name=name, outcome=RequestOutcome.NOT_FOUND, message=message)

    def _confirmed(self, name: str, named: RunOfJob) -> _Word:
        advanced = self.jobs[named.job_id]
        run = advanced.job.run(named.run_id)
        if run is None:
            raise ValueError(f"job {named.job_id} has no run {named.run_id}")
        word = _Word(name=name, outcome=RequestOutcome.UNCHANGED, job_id=named.job_id, run=run)
        if run.is_open or run.uid is None:
            return replace(word, outcome=RequestOutcome.REFUSED, message=_refusal(run, advanced.job))
        step = advance(advanced.job, Confirmed(cluster=run.cluster, uid=run.uid, by=Confirmation.PERSON), self.now)
        if not isinstance(step, Step):
            raise TypeError(f"job {named.job_id} refuses to have its run {named.run_id} confirmed: {step.why}")
        self.jobs[named.job_id] = advanced.by(step)
        return word if step.job == advanced.job else replace(word, outcome=RequestOutcome.DONE)


def _refusal(run: JobRun, job: SubmittedJob) -> str:
    """Why nobody can vouch for the stop of a run that is open, or has no pod."""
    if not run.is_open:
        return f"run {run.index + 1} has no pod, so there is nothing to confirm"
    jobs = f"failctl cancel {job.job_id}; failctl retry {job.job_id} reopens it"
    return f"run {run.index + 1} is {job.state}: cancel its job first: {jobs}"


def _observed(connection: Connection, names: Collection[str]) -> set[str]:
    """Those of the names that are of observed runs or their pods."""
    query = select(observed.c.run_id, observed.c.pod_uid)
    named = or_(observed.c.run_id.in_(names), observed.c.pod_uid.in_(names))
    rows = connection.execute(query.where(named)) if names else ()
    return {name for row in rows for name in (row.run_id, row.pod_uid)}


def _report(call: _Call, *, who: str, reason: str) -> None:
    for word in call.words:
        if word.run is not None and word.outcome is RequestOutcome.DONE:
            said = f"{RequestKind.CONFIRM_STOPPED.value} of run {word.run.run_id} of job {word.job_id}"
            _log.info(said, uid=word.run.uid, by=who, reason=reason)
