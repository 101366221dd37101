"""A run begins: it is leased to a cluster, its pod is created behind our gate, and started by its uid."""

from dataclasses import replace
from datetime import datetime

from agent.core.lifecycle.effects import Discard, Effect, Refusal, Refused, Step
from agent.core.lifecycle.inputs import Leased, NameTaken, RunCreated
from agent.core.lifecycle.job import NextRun, SubmittedJob
from agent.core.lifecycle.repeats import create_of, sent_now, start_of, stop_of
from agent.core.lifecycle.run import JobRun, NameHeld
from agent.core.lifecycle.state import State
from agent.core.lifecycle.waits import ForCluster, why_it_waits
from agent.core.run_event import Confirmation


def lease(job: SubmittedJob, event: Leased, now: datetime) -> Step | Refused:
    """Open the next run, unless something holds it."""
    known = job.run(event.run_id)
    if known is not None:
        return Step(job) if known.is_open and known.cluster == event.cluster else Refused(why=Refusal.RUN_CLOSED)
    if job.next is None:
        return Refused(why=Refusal.NOTHING_TO_LEASE, ending=job.ending)
    wait = why_it_waits(job, now, retries_stopped=False)
    if not isinstance(wait, ForCluster):
        return Refused(why=Refusal.WAITS, wait=wait)
    run = _opened(job.next, event, pod_name=_pod_name(job, job.next, event), now=now)
    leased = replace(job, state=State.LEASED, runs=(*job.runs, run), next=None)
    return Step(leased, (create_of(run),))


def _pod_name(job: SubmittedJob, following: NextRun, event: Leased) -> str:
    """That of the run that a cluster rejected, if this one takes its place."""
    before = job.runs[-1] if job.runs else None
    takes_place = before is not None and before.was_rejected and before.index == following.index
    return before.pod_name if before is not None and takes_place else event.names.of(job.job_id, following.index)


def _opened(following: NextRun, event: Leased, *, pod_name: str, now: datetime) -> JobRun:
    return JobRun(
        run_id=event.run_id,
        index=following.index,
        attempt=following.attempt,
        cluster=event.cluster,
        terms=event.terms,
        pod_name=pod_name,
        generation=event.generation,
        granted=following.granted,
        opened_at=now,
        sent_at=now,
    )


def created(job: SubmittedJob, event: RunCreated, now: datetime) -> Step:
    """Accept the first pod of an open run and start it; discard every other one."""
    # The uid first: anybody may write the labels that run_id comes from.
    recorded = job.run_of_pod(event.uid, cluster=event.cluster)
    if recorded is not None:
        return Step(job, _answer_again(recorded, event.uid))
    run = job.run(event.run_id)
    if run is None or not run.is_open or run.uid is not None or run.cluster != event.cluster:
        return Step(job, (Discard(cluster=event.cluster, run_id=event.run_id, uid=event.uid),))
    accepted = sent_now(replace(run, uid=event.uid, pod_name=event.pod_name or run.pod_name, name_held=None), now)
    return Step(job.with_run(accepted), (start_of(accepted, event.uid),))


def _answer_again(run: JobRun, uid: str) -> tuple[Effect, ...]:
    if run.is_open:
        return (start_of(run, uid),)
    # What a person confirmed may be wrong; what is proven needs no stop, and its pod may be kept.
    return (stop_of(run, uid),) if run.confirmed in (None, Confirmation.PERSON) else ()


def name_taken(job: SubmittedJob, run: JobRun, event: NameTaken, now: datetime) -> Step:
    """Remember which pod has the name of an open run without a pod; that is no refusal."""
    if run.name_held is not None and run.name_held.uid == event.uid:
        return Step(job)
    return Step(job.with_run(replace(run, name_held=NameHeld(uid=event.uid, since=now))))
