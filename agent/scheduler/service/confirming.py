"""People vouch that the pods of runs, and orphans, no longer live, where nothing else can confirm it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog
from sqlalchemy import Connection, or_, select

from agent.core.job_event import RequestKind
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
from agent.store import listed_orphans, orphans, run_lists
from agent.store.orphans import KnownOrphan
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.submitted.lookup import RunOfJob, runs_named
from agent.store.submitted.requests import JobRequest
from agent.store.tables.runs import table as observed

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmResult:
    """The result for one name; ``state`` and ``wait`` are those of its job after all of the call.

    Of an orphan, ``run_id`` is empty, and ``job_id`` is that of a job that it held, empty if it held none.
    """

    name: str
    outcome: RequestOutcome
    run_id: str = ""
    job_id: str = ""
    pod: str = ""
    state: State | None = None
    message: str = ""
    wait: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingOrphan:
    """An orphan, and the jobs that have runs under its name."""

    known: KnownOrphan
    job_ids: Sequence[str]


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

    def orphans(self) -> Sequence[HoldingOrphan]:
        """All orphans, by cluster, namespace and name."""
        with self._store.read() as connection:
            found = orphans.everything(connection)
            held_by = held.jobs_with_orphans(connection, [known.orphan.uid for known in found])
        return [HoldingOrphan(known=known, job_ids=sorted(held_by.get(known.orphan.uid, ()))) for known in found]

    def confirm(self, names: Sequence[str], *, who: str, reason: str, dry_run: bool = False) -> Sequence[ConfirmResult]:
        """Confirm the stop of these runs and orphans, named by the whole ids of runs or the uids of pods."""
        check(names, reason, noun="run")
        self._rights.check(who, "confirm_stopped_runs")
        with self._store.read() as connection:
            found = runs_named(connection, names)
            others = [name for name in names if name not in found]
            seen = _observed(connection, others)
            held_by = held.jobs_with_orphans(connection, others)
            lists = {run_lists.scope(known.orphan.cluster_id) for known in orphans.named(connection, others)}
        job_ids = {run.job_id for runs in found.values() for run in runs}.union(*held_by.values())
        with self._store.decide(job_ids | lists) as connection:
            now = self._clock(connection)
            jobs = {job_id: Advanced.of(held_job) for job_id, held_job in held.load(connection, job_ids).items()}
            strays = _by_uid(orphans.named(connection, others))
            call = _Call(now=now, found=found, orphans=strays, held_by=held_by, only_observed=seen, jobs=jobs, words=[])
            about = self._waiting.surroundings(connection, [advanced.held for advanced in call.jobs.values()], now=now)
            for name in dict.fromkeys(names):
                call.take(name)
            if not dry_run:
                self._write(connection, call, who=who, reason=reason)
            after = [replace(advanced.held, job=advanced.job) for advanced in call.jobs.values()]
            waits = self._waiting.sentences(connection, after, now=now)
        if not dry_run:
            _report(call, who=who, reason=reason)
        return [call.result(word, about, waits) for word in call.words]

    def _write(self, connection: Connection, call: "_Call", *, who: str, reason: str) -> None:
        for word in call.words:
            if word.outcome is RequestOutcome.UNCHANGED:
                continue
            if word.orphan is not None and word.outcome is RequestOutcome.DONE:
                listed_orphans.confirm(connection, word.orphan.orphan, by=who, reason=reason, at=call.now)
            for job_id in word.job_ids:
                asked = JobRequest(
                    job_id=job_id,
                    kind=RequestKind.CONFIRM_STOPPED,
                    by=who,
                    reason=": ".join(filter(None, (word.about, reason))),
                    at=call.now,
                    outcome=word.message,
                )
                call.jobs[job_id] = call.jobs[job_id].asked(asked)
        write(connection, list(call.jobs.values()), now=call.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """What came of a person's word about one name; ``run`` and ``orphan`` are as they were before."""

    name: str
    outcome: RequestOutcome
    message: str = ""
    job_ids: Sequence[str] = ()
    run: JobRun | None = None
    orphan: KnownOrphan | None = None

    @property
    def about(self) -> str:
        """What the word was about, for people who look at the job."""
        return f"orphan {self.name}" if self.run is None else f"run {self.run.index + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """The jobs of one call, each as the words so far have led it on; several may be about one job."""

    now: datetime
    found: Mapping[str, Sequence[RunOfJob]]
    orphans: Mapping[str, Sequence[KnownOrphan]]
    held_by: Mapping[str, Collection[str]]
    only_observed: Collection[str]
    jobs: dict[str, Advanced]
    words: list[_Word]

    def take(self, name: str) -> None:
        """Take a person's word for the stop of the run or the orphan with this name."""
        runs, orphans = self.found.get(name, ()), self.orphans.get(name, ())
        if len(runs) == 1:
            self.words.append(self._confirmed(name, runs[0]))
        elif len(orphans) == 1:
            self.words.append(self._vouched(name, orphans[0]))
        else:
            self.words.append(self._unnamed(name, [*runs, *orphans]))

    def result(self, word: _Word, about: Mapping[str, Surroundings], waits: Mapping[str, str]) -> ConfirmResult:
        if word.orphan is not None:
            return self._of_orphan(word, word.orphan, waits)
        if word.run is None:
            return ConfirmResult(name=word.name, outcome=word.outcome, message=word.message)
        run, job = word.run, self.jobs[word.job_ids[0]].job
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

    def _of_orphan(self, word: _Word, known: KnownOrphan, waits: Mapping[str, str]) -> ConfirmResult:
        job_id = next(iter(word.job_ids), "")
        return ConfirmResult(
            name=word.name,
            outcome=word.outcome,
            job_id=job_id,
            pod=known.in_words,
            state=self.jobs[job_id].job.state if job_id else None,
            wait=waits.get(job_id, ""),
        )

    def _unnamed(self, name: str, several: Sequence[RunOfJob | KnownOrphan]) -> _Word:
        if several:
            fix = "name the run" if name in self.found else "delete those that are copies; the next lists say so"
            message = f"pods in several clusters have this uid: {fix}"
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
        word = _Word(name=name, outcome=RequestOutcome.UNCHANGED, job_ids=[named.job_id], run=run)
        if run.is_open or run.uid is None:
            return replace(word, outcome=RequestOutcome.REFUSED, message=_refusal(run, advanced.job))
        step = advance(advanced.job, Confirmed(cluster=run.cluster, uid=run.uid, by=Confirmation.PERSON), self.now)
        if not isinstance(step, Step):
            raise TypeError(f"job {named.job_id} refuses to have its run {named.run_id} confirmed: {step.why}")
        self.jobs[named.job_id] = advanced.by(step)
        return word if step.job == advanced.job else replace(word, outcome=RequestOutcome.DONE)

    def _vouched(self, name: str, known: KnownOrphan) -> _Word:
        job_ids = sorted(self.held_by.get(name, ()))
        word = _Word(name=name, outcome=RequestOutcome.UNCHANGED, job_ids=job_ids, orphan=known)
        if known.confirmed_at is not None or known.orphan.ended:
            return word
        said = Confirmed(cluster=known.orphan.cluster_id, uid=name, by=Confirmation.PERSON)
        for job_id in job_ids:
            step = advance(self.jobs[job_id].job, said, self.now)
            if isinstance(step, Step):  # else the orphan was listed after the job was loaded
                self.jobs[job_id] = self.jobs[job_id].by(step)
        return replace(word, outcome=RequestOutcome.DONE)


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


def _by_uid(several: Sequence[KnownOrphan]) -> Mapping[str, Sequence[KnownOrphan]]:
    found: dict[str, list[KnownOrphan]] = {}
    for known in several:
        found.setdefault(known.orphan.uid, []).append(known)
    return found


def _report(call: _Call, *, who: str, reason: str) -> None:
    for word in call.words:
        if word.outcome is not RequestOutcome.DONE:
            continue
        if word.run is not None:
            said = f"{RequestKind.CONFIRM_STOPPED.value} of run {word.run.run_id} of job {word.job_ids[0]}"
            _log.info(said, uid=word.run.uid, by=who, reason=reason)
        else:
            _log.info(f"{RequestKind.CONFIRM_STOPPED.value} of an orphan", uid=word.name, by=who, reason=reason)
