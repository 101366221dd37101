"""The submitted jobs of one batch, event by event: values in, steps of jobs out. Pure.

An event belongs to a run by the recorded cluster and uid of its pod; queue, policies and attempt come from the job's
row. Labels only say which run a create was for, and which one a pod may still be recorded for.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from msgspec import structs

from agent.core.decision.never_retry import forbid_retry
from agent.core.history import History
from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Refused, Step, WriteVerdict
from agent.core.lifecycle.inputs import Input
from agent.core.lifecycle.run import Fail, RunVerdict
from agent.core.retry.annotations import fails_fast
from agent.core.run_event import CreationFailed, Identity, NameHeld, RunCreated, RunEvent, RunRejected, RunStopped
from agent.scheduler.consume import reported
from agent.scheduler.consume.batch import DecisionInputs, arrival_of, decides, verdict_on
from agent.scheduler.effects.advanced import Advanced, identity_of
from agent.scheduler.effects.commands import Discarded
from agent.scheduler.effects.pod_memory import read_pod
from agent.store.failures import Arrival
from agent.store.runs import ReceivedEvent
from agent.store.submitted.held import Held
from agent.store.submitted.lookup import Pod
from agent.store.verdicts import NewVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store has about the jobs of a batch, read under their locks.

    ``held``, ``specs`` (pods as JSON) and ``histories`` are by job id. ``consumed`` are the events whose failure is
    stored, ``waiting`` by run id those that came before the run recorded a pod.
    """

    held: Mapping[str, Held] = field(default_factory=dict)
    specs: Mapping[str, bytes] = field(default_factory=dict)
    histories: Mapping[str, History] = field(default_factory=dict)
    consumed: Collection[str] = ()
    waiting: Mapping[str, Sequence[ReceivedEvent]] = field(default_factory=dict)


class SubmittedJobs:
    """Takes the events of a batch in order; what follows from them is in its fields.

    ``observed`` are events of pods that belong to no run of ours, ``kept`` those of a pod that its run may record.
    ``reports`` and ``arrivals`` are for the summaries and the failures, with the identity that the job's row gives.
    """

    def __init__(self, known: Known, *, inputs: DecisionInputs, now: datetime) -> None:
        self.observed: list[ReceivedEvent] = []
        self.kept: list[ReceivedEvent] = []
        self.reports: list[ReceivedEvent] = []
        self.arrivals: list[Arrival] = []
        self.decided: list[NewVerdict] = []
        self.discarded: list[Discarded] = []
        self.jobs = {job_id: Advanced.of(held) for job_id, held in known.held.items()}
        runs = [(job_id, run) for job_id, held in known.held.items() for run in held.job.runs]
        self._runs = {run.run_id: job_id for job_id, run in runs}
        self._pods = {(run.cluster, run.uid): job_id for job_id, run in runs if run.uid is not None}
        self._specs = known.specs
        self._consumed = set(known.consumed)
        self._waiting = dict(known.waiting)
        self._histories = dict(known.histories)
        self._inputs = inputs
        self._now = now

    def take(self, report: ReceivedEvent) -> None:
        """Take the next event."""
        event = report.event
        job_id = self._pods.get(_pod(event))
        if job_id is not None:
            self._of_pod(job_id, self._identified(job_id, report))
            return
        job_id = self._runs.get(event.identity.run_id)
        match event.event:
            case RunCreated():
                self._created(job_id, report)
                self._take_kept(event.identity.run_id)
            case RunRejected() | CreationFailed() | NameHeld():
                self._without_pod(job_id, report)
                self._take_kept(event.identity.run_id)
            case RunStopped():
                # Agents also send one without a stop, for what it confirms.
                if job_id is not None and self._may_be_recorded(job_id, event):
                    self.kept.append(report)
            case _:
                self._of_unknown_pod(job_id, report)

    def _of_pod(self, job_id: str, report: ReceivedEvent) -> None:
        """Take an event about the recorded pod of a run."""
        event = report.event
        match event.event:
            case RunStopped() as content:
                self._stopped(job_id, report, content)
            case RunCreated():
                self._step(job_id, reported.created(event), event)
                self.reports.append(report)
            case RunRejected() | CreationFailed() | NameHeld():
                pass  # a repeated create failed, after another one had made the pod
            case _:
                self._happened(job_id, report)

    def _of_unknown_pod(self, job_id: str | None, report: ReceivedEvent) -> None:
        """Keep it if the pod may still be recorded. Else it is observed, under its own uid if it has our labels.

        A pod that never left our gate and is not recorded is discarded, and that is no failure. A replica of the agent
        that was dead meanwhile reports that it is gone.
        """
        event = report.event
        if job_id is not None and self._may_be_recorded(job_id, event):
            self.kept.append(report)
        elif event.gated:
            return
        elif job_id is None and event.identity.job_id not in self.jobs:
            self.observed.append(report)
        elif event.pod.uid:
            own = Identity(job_id=event.pod.uid, run_id=event.pod.uid, queue=event.identity.queue)
            self.observed.append(_with_identity(report, own))

    def _may_be_recorded(self, job_id: str, event: RunEvent) -> bool:
        run = self.jobs[job_id].job.run(event.identity.run_id)
        return run is not None and run.is_open and run.uid is None and run.cluster == event.cluster_id

    def _created(self, job_id: str | None, report: ReceivedEvent) -> None:
        """Record the pod, and take what was reported of it before; or discard it. One without our gate is a copy."""
        event, pod = report.event, _pod(report.event)
        if event.gated and job_id is None:
            self.discarded.append(_discarded(event))
        elif event.gated and job_id is not None:
            self._step(job_id, reported.created(event), event)
            if self.jobs[job_id].job.run_of_pod(event.pod.uid, cluster=event.cluster_id) is not None:
                self._pods[pod] = job_id
                self.reports.append(self._identified(job_id, report))

    def _take_kept(self, run_id: str) -> None:
        """Take again what was kept of this run: its pod may be recorded now, and every other one is only observed."""
        kept = [earlier for earlier in self.kept if earlier.event.identity.run_id == run_id]
        self.kept = [other for other in self.kept if other.event.identity.run_id != run_id]
        # The answer to a stop comes last: a failure says more of how the run ended.
        for earlier in sorted((*self._waiting.pop(run_id, ()), *kept), key=_is_stopped):
            self.take(earlier)

    def _happened(self, job_id: str, report: ReceivedEvent) -> None:
        """Take a change of state, a failure or an amendment."""
        self.reports.append(report)
        phase = reported.phase(report.event)
        if phase is not None:
            self._step(job_id, phase, report.event)
        arrival = arrival_of(report.event)
        if arrival is not None and self._is_new(arrival) and decides(arrival):
            self._failed(job_id, arrival)

    def _stopped(self, job_id: str, report: ReceivedEvent, content: RunStopped) -> None:
        event = report.event
        result = advance(self.jobs[job_id].job, reported.stopped(event, content), self._now)
        if isinstance(result, Step):
            self._took(job_id, result, event)
            return
        # The pod of an open run is gone, and nothing else says how: that is the run's failure.
        arrival = reported.gone(event, content)
        if self._is_new(arrival):
            self.reports.append(report)
            self._failed(job_id, arrival)

    def _failed(self, job_id: str, arrival: Arrival) -> None:
        self._step(job_id, reported.failed(arrival, self._judge(job_id, arrival)), arrival.event)

    def _without_pod(self, job_id: str | None, report: ReceivedEvent) -> None:
        """Take the answer to a create that made no pod."""
        if job_id is None:
            return
        event, job = report.event, self.jobs[job_id].job
        run = job.run(event.identity.run_id)
        if run is None or run.cluster != event.cluster_id or not run.is_open:
            return
        match event.event:
            case NameHeld() as content:
                self._step(job_id, reported.name_held(event, content), event)
            case RunRejected() as content:
                rejections = sum(earlier.was_rejected for earlier in job.runs if earlier.index == run.index)
                next_try = reported.next_try(rejections, jitter=self._inputs.draw(), now=self._now)
                self._step(job_id, reported.rejected(event, content, next_try=next_try), event)
            case CreationFailed() as content if run.uid is None:
                self._refused(job_id, _with_identity(report, identity_of(self.jobs[job_id].held, run)), content)
            case _:
                pass

    def _refused(self, job_id: str, report: ReceivedEvent, content: CreationFailed) -> None:
        arrival = reported.refused(report.event, content)
        if self._is_new(arrival):
            self.reports.append(report)
            verdict = self._judge(job_id, arrival)
            self._step(job_id, reported.creation_failed(report.event, verdict), report.event)

    def _judge(self, job_id: str, arrival: Arrival) -> RunVerdict:
        """Make the verdict on an open run. On a closed one there is none, and what is returned has no effect."""
        advanced, run_id = self.jobs[job_id], arrival.event.identity.run_id
        run = advanced.job.run(run_id)
        if run is None or not run.is_open:
            return Fail()
        pod = read_pod(self._specs[job_id], instead=advanced.memory_of(run_id))
        verdict = verdict_on(
            arrival,
            history=self._histories[job_id],
            inputs=self._inputs,
            now=self._now,
            memory=pod.memory,
            fail_fast=fails_fast(pod.annotations),
        )
        verdict = forbid_retry(verdict) if advanced.job.never_retry else verdict
        made = NewVerdict(event=arrival.event, verdict=verdict, decided_at=self._now)
        self.jobs[job_id] = replace(advanced, verdicts={**advanced.verdicts, run_id: made})
        return reported.run_verdict(verdict, self._now)

    def _step(self, job_id: str, event: Input, of: RunEvent) -> None:
        """Take a step that a job never refuses: its run is known, and ``never-retry`` has been asked."""
        match advance(self.jobs[job_id].job, event, self._now):
            case Step() as step:
                self._took(job_id, step, of)
            case Refused(why=why):
                raise ValueError(f"job {job_id} refuses {type(event).__name__}: {why}")

    def _took(self, job_id: str, step: Step, of: RunEvent) -> None:
        before = self.jobs[job_id]
        pods = {**before.pods, of.pod.uid: of.pod} if of.pod.uid else before.pods
        self.jobs[job_id] = replace(before.by(step), pods=pods)
        for effect in step.effects:
            if isinstance(effect, WriteVerdict):
                self._decided(job_id, before.verdicts[effect.run_id])

    def _decided(self, job_id: str, made: NewVerdict) -> None:
        """Count it for later runs of the job in this batch."""
        self.decided.append(made)
        history = self._histories[job_id]
        self._histories[job_id] = history.followed_by(made.verdict.granted_under, past=made.verdict.past)

    def _is_new(self, arrival: Arrival) -> bool:
        """Whether its event was not consumed before; it is from now on."""
        if arrival.event.event_id in self._consumed:
            return False
        self._consumed.add(arrival.event.event_id)
        self.arrivals.append(arrival)
        return True

    def _identified(self, job_id: str, report: ReceivedEvent) -> ReceivedEvent:
        """The event with the identity of the run that recorded its pod."""
        advanced, event = self.jobs[job_id], report.event
        run = advanced.job.run_of_pod(event.pod.uid, cluster=event.cluster_id)
        if run is None:
            raise ValueError(f"no run of job {job_id} recorded pod {event.pod.uid}")
        return _with_identity(report, identity_of(advanced.held, run))


def _is_stopped(report: ReceivedEvent) -> bool:
    return isinstance(report.event.event, RunStopped)


def _pod(event: RunEvent) -> Pod:
    return event.cluster_id, event.pod.uid


def _with_identity(report: ReceivedEvent, identity: Identity) -> ReceivedEvent:
    return replace(report, event=structs.replace(report.event, identity=identity))


def _discarded(event: RunEvent) -> Discarded:
    return Discarded(
        cluster_id=event.cluster_id,
        cluster=event.cluster,
        job_id=event.identity.job_id,
        run_id=event.identity.run_id,
        pod=event.pod,
    )
