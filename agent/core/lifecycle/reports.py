"""What agents report of pods and runs. Only the recorded pod of a run counts."""

from dataclasses import replace
from datetime import datetime
from typing import Final, assert_never

from agent.core.lifecycle.effects import Refusal, Refused, Step
from agent.core.lifecycle.endings import judge, reject, succeed
from agent.core.lifecycle.inputs import (
    Confirmed,
    CreationFailed,
    GatedPodDeleted,
    LeaseExpired,
    NameTaken,
    NotCreated,
    PhaseReported,
    PodReport,
    Preempted,
    RunFailed,
    RunRejected,
    RunReport,
    RunStopped,
)
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.leasing import name_taken
from agent.core.lifecycle.repeats import create_of, sent_again
from agent.core.lifecycle.run import JobRun, LostCluster, RunVerdict
from agent.core.lifecycle.state import State
from agent.core.lifecycle.succession import settle
from agent.core.run_event import Confirmation, RunPhase, StopAnswer

_STATE_OF: Final = {RunPhase.PENDING: State.PENDING, RunPhase.RUNNING: State.RUNNING}
_ORDER: Final = (None, RunPhase.PENDING, RunPhase.RUNNING, RunPhase.SUCCEEDED)


def of_pod(job: SubmittedJob, event: PodReport, now: datetime) -> Step | Refused:
    """What was reported of a pod."""
    run = job.run_of_pod(event.uid, cluster=event.cluster)
    if run is None:
        return _of_orphan(job, event)
    match event:
        case PhaseReported():
            return _phase(job, _on_node(run, event.node), event, now)
        case RunFailed():
            return _failed(job, _on_node(run, event.node), event.verdict, confirmed=event.confirmed, now=now)
        case GatedPodDeleted():
            # A phase means that the gate was removed: then it is not this pod's last state.
            proven = Confirmation.NEVER_BOUND if run.phase is None else None
            return _failed(job, run, event.verdict, confirmed=proven, now=now)
        case RunStopped():
            return _stopped(job, run, event, now)
        case Confirmed():
            return Refused(why=Refusal.RUN_OPEN) if run.is_open else Step(_confirm(job, run, event.by, now))
        case _ as unreachable:
            assert_never(unreachable)


def _of_orphan(job: SubmittedJob, event: PodReport) -> Step | Refused:
    """A person may vouch for the stop of an orphan; nothing else that is reported of it counts."""
    pod = event.cluster, event.uid
    orphan = next((orphan for orphan in job.orphans if (orphan.cluster, orphan.uid) == pod), None)
    if orphan is None or not isinstance(event, Confirmed) or event.by is not Confirmation.PERSON:
        return Refused(why=Refusal.UNKNOWN_UID)
    gone = replace(orphan, may_run=False)
    return Step(replace(job, orphans=tuple(gone if known == orphan else known for known in job.orphans)))


def of_run(job: SubmittedJob, event: RunReport, now: datetime) -> Step | Refused:
    """What was reported of a run by its id."""
    run = job.run(event.run_id)
    if run is None:
        return Refused(why=Refusal.UNKNOWN_RUN)
    match event:
        case RunRejected() | CreationFailed() | NameTaken():
            return _no_pod(job, run, event, now)
        case NotCreated():
            return _not_created(job, run, event, now)
        case LeaseExpired():
            if run.is_open and run.terms.lost_cluster is LostCluster.WAIT:
                return Refused(why=Refusal.LOST_CLUSTER_WAITS)
            return judge(job, run, event.verdict, now)
        case Preempted():
            return judge(job, run, event.verdict, now)
        case _ as unreachable:
            assert_never(unreachable)


def _no_pod(
    job: SubmittedJob, run: JobRun, event: RunRejected | CreationFailed | NameTaken, now: datetime
) -> Step | Refused:
    if run.cluster != event.cluster:
        return Refused(why=Refusal.UNKNOWN_RUN)
    if not run.is_open or run.uid is not None:
        return Step(job)  # a repeated create failed, after another one had made the pod
    match event:
        case RunRejected():
            return reject(job, run, retry_at=event.retry_at, reason=event.reason, now=now)
        case CreationFailed():
            return judge(job, run, event.verdict, now)
        case NameTaken():
            return name_taken(job, run, event, now)
        case _ as unreachable:
            assert_never(unreachable)


def _not_created(job: SubmittedJob, run: JobRun, event: NotCreated, now: datetime) -> Step:
    """Send the create again, unless it was sent after the list."""
    if not run.is_open or run.uid is not None or event.as_of <= run.sent_at:
        return Step(job)
    return Step(job.with_run(sent_again(run, now)), (create_of(run),))


def _phase(job: SubmittedJob, run: JobRun, event: PhaseReported, now: datetime) -> Step:
    if event.phase is RunPhase.SUCCEEDED:
        return _succeeded(job, run, confirmed=event.confirmed, now=now)
    if not run.is_open or _ORDER.index(event.phase) <= _ORDER.index(run.phase):
        return Step(job)
    return Step(replace(job.with_run(replace(run, phase=event.phase)), state=_STATE_OF[event.phase]))


def _succeeded(job: SubmittedJob, run: JobRun, *, confirmed: Confirmation | None, now: datetime) -> Step:
    proven = _proven(run, confirmed)
    step = succeed(job.with_run(proven), proven, now)
    return Step(settle(step.job, now), step.effects)


def _failed(
    job: SubmittedJob, run: JobRun, verdict: RunVerdict, *, confirmed: Confirmation | None, now: datetime
) -> Step | Refused:
    if not run.is_open:
        return Step(_confirm(job, run, confirmed, now))
    proven = _proven(run, confirmed)
    return judge(job.with_run(proven), proven, verdict, now)


def _stopped(job: SubmittedJob, run: JobRun, event: RunStopped, now: datetime) -> Step | Refused:
    answered = replace(run, answered=run.answered or event.answer)
    if event.answer is StopAnswer.SUCCEEDED_BEFORE:
        return _succeeded(job, answered, confirmed=event.confirmed, now=now)
    if run.is_open:
        return Refused(why=Refusal.RUN_OPEN)
    return Step(_confirm(job, answered, event.confirmed, now))


def _confirm(job: SubmittedJob, run: JobRun, by: Confirmation | None, now: datetime) -> SubmittedJob:
    return settle(job.with_run(_proven(run, by)), now)


def _proven(run: JobRun, by: Confirmation | None) -> JobRun:
    """The run as confirmed; a proof takes the place of a person's word."""
    if by is None or run.confirmed not in (None, Confirmation.PERSON):
        return run
    return run if by is Confirmation.PERSON and run.confirmed is not None else replace(run, confirmed=by)


def _on_node(run: JobRun, node: str) -> JobRun:
    return replace(run, node=node) if node and not run.node else run
