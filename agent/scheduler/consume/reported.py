"""What an event means to the run that it is about: events in, inputs of the lifecycle out. Pure."""

from datetime import datetime, timedelta
from typing import Final

from agent.backoff import Backoff
from agent.core.decision.verdict import Verdict
from agent.core.failure import Occurrence
from agent.core.lifecycle import inputs
from agent.core.lifecycle.run import Fail, RetryAt, RunVerdict
from agent.core.limit import VerdictAction
from agent.core.run_event import (
    Confirmation,
    CreationFailed,
    NameHeld,
    RunEvent,
    RunPhase,
    RunRejected,
    RunStopped,
    StopAnswer,
)
from agent.core.summary.internal import as_failure, ended_unseen
from agent.store.failures import Arrival

REJECTED_AGAIN: Final = Backoff(first=5.0, most=600.0)
"""Until the next try after a cluster rejected a run; it grows while clusters reject it."""

_OCCURRENCES: Final = {StopAnswer.FAILED_BEFORE: Occurrence.POD_FAILED}


def created(event: RunEvent) -> inputs.RunCreated:
    return inputs.RunCreated(
        run_id=event.identity.run_id, cluster=event.cluster_id, uid=event.pod.uid, pod_name=event.pod.name
    )


def phase(event: RunEvent) -> inputs.PhaseReported | None:
    """The phase of a recorded pod; ``None`` if the event reports none that counts, or the pod waits behind our gate."""
    content = event.event
    if content not in (RunPhase.PENDING, RunPhase.RUNNING, RunPhase.SUCCEEDED) or event.gated:
        return None
    return inputs.PhaseReported(
        cluster=event.cluster_id,
        uid=event.pod.uid,
        phase=content,
        node=event.pod.node,
        confirmed=event.confirmed,
    )


def failed(arrival: Arrival, verdict: RunVerdict) -> inputs.RunFailed | inputs.GatedPodDeleted:
    """The failure of a recorded pod; that of one that was deleted behind our gate proves that it never ran."""
    event = arrival.event
    if event.gated and event.confirmed is Confirmation.NEVER_BOUND:
        return inputs.GatedPodDeleted(cluster=event.cluster_id, uid=event.pod.uid, verdict=verdict)
    return inputs.RunFailed(
        cluster=event.cluster_id,
        uid=event.pod.uid,
        verdict=verdict,
        node=event.pod.node,
        confirmed=event.confirmed,
    )


def stopped(event: RunEvent, content: RunStopped) -> inputs.RunStopped:
    return inputs.RunStopped(
        cluster=event.cluster_id, uid=event.pod.uid, answer=content.answer, confirmed=event.confirmed
    )


def gone(event: RunEvent, content: RunStopped) -> Arrival:
    """The failure of an open run whose pod is gone, as an answer to its start says."""
    occurrence = _OCCURRENCES.get(content.answer, Occurrence.DELETED_EXTERNALLY)
    return Arrival(event=event, failure=ended_unseen(occurrence))


def rejected(event: RunEvent, content: RunRejected, *, next_try: datetime) -> inputs.RunRejected:
    return inputs.RunRejected(
        cluster=event.cluster_id,
        run_id=event.identity.run_id,
        retry_at=next_try,
        reason=": ".join(filter(None, (content.reason, content.message))),
    )


def next_try(rejections: int, *, jitter: float, now: datetime) -> datetime:
    """When a run is tried again that was rejected this often before, in a row."""
    return now + timedelta(seconds=REJECTED_AGAIN.seconds(rejections, jitter=jitter))


def name_held(event: RunEvent, content: NameHeld) -> inputs.NameTaken:
    return inputs.NameTaken(cluster=event.cluster_id, run_id=event.identity.run_id, uid=content.uid)


def refused(event: RunEvent, content: CreationFailed) -> Arrival:
    """The failure of a run whose pod the API server refused."""
    return Arrival(event=event, failure=as_failure(content))


def creation_failed(event: RunEvent, verdict: RunVerdict) -> inputs.CreationFailed:
    return inputs.CreationFailed(cluster=event.cluster_id, run_id=event.identity.run_id, verdict=verdict)


def run_verdict(verdict: Verdict, now: datetime) -> RunVerdict:
    """The verdict as the lifecycle takes it. A retry without a time may start at once."""
    return RetryAt(at=verdict.not_before or now) if verdict.action is VerdictAction.RETRY else Fail()
