"""What was decided about jobs, as job events and messages of their topic. Pure.

The texts in them are stripped and bounded: whatever people and agents wrote, no decision fails because of its event.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any, Final, assert_never

from agent.broker.topics import JOB_EVENTS
from agent.core.decision.explanation_text import headline
from agent.core.history import History
from agent.core.job_event import (
    JobContent,
    JobEvent,
    JobRequested,
    JobSubmitted,
    LeaseRejected,
    MemoryRaised,
    RunDecided,
    RunLeased,
    StateChanged,
)
from agent.core.lifecycle.effects import WriteVerdict
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import JobRun
from agent.core.retry.choices import Strength
from agent.core.retry.growth import Mutation
from agent.core.summary.bounds import MESSAGE_BYTES, WORD_BYTES, cut
from agent.observe.event_id import job_event_id
from agent.observe.text import strip
from agent.scheduler.effects.advanced import Advanced
from agent.store.outbox import NewMessage
from agent.store.submitted.changes import NewJob
from agent.store.submitted.held import Submission
from agent.store.submitted.requests import JobRequest
from agent.store.verdicts import NewVerdict
from agent.wire import job_event as wire

MOST_NODES: Final = 64
MOST_CONTAINERS: Final = 64


def message_of(event: JobEvent) -> NewMessage:
    """The message; those of one job have its id as their key."""
    return NewMessage(topic=JOB_EVENTS, key=event.job_id, payload=wire.encode(event))


def of_submission(job: NewJob) -> JobEvent:
    """The first event of a job."""
    given = job.submission
    content = JobSubmitted(
        client_id=_word(given.client_id),
        name=_word(given.name),
        priority=given.priority,
        gang_id=_word(given.gang_id),
        retry_policies=_sentence(given.retry_policies),
    )
    new = SubmittedJob(job_id=job.job_id)
    return _event(new, given, content, sequence=1, at=given.submitted_at)


def of_steps(advanced: Advanced, *, clusters: Mapping[str, str], at: datetime) -> list[JobEvent]:
    """What the steps of a job come to; ``clusters`` are names by id. Empty if neither state nor ending changed."""
    before, job = advanced.held.job, advanced.job
    contents = list(_contents(advanced, clusters))
    if not contents and (before.state, before.ending) != (job.state, job.ending):
        contents = [StateChanged()]
    numbered = zip(contents, count(advanced.held.events + 1))
    return [_event(job, advanced.held.submission, content, sequence=number, at=at) for content, number in numbered]


def of_observed(decided: Sequence[NewVerdict], histories: Mapping[str, History]) -> list[JobEvent]:
    """The verdicts on pods that nobody submitted; ``histories`` are those of before, by job id."""
    counts = Counter({job_id: history.runs for job_id, history in histories.items()})
    return [_of_observed(made, counts) for made in decided]


def _of_observed(made: NewVerdict, counts: Counter[str]) -> JobEvent:
    identity = made.event.identity
    counts[identity.job_id] += 1
    content = _decided(made)
    return JobEvent(
        event_id=_id(content, identity.job_id, counts[identity.job_id]),
        job_id=identity.job_id,
        sequence=counts[identity.job_id],
        at=made.decided_at,
        event=content,
        queue=_word(identity.queue),
        job_set=_word(identity.job_set),
        namespace=_word(made.event.pod.namespace),
    )


def _event(job: SubmittedJob, submission: Submission, content: JobContent, *, sequence: int, at: datetime) -> JobEvent:
    return JobEvent(
        event_id=_id(content, job.job_id, sequence),
        job_id=job.job_id,
        sequence=sequence,
        at=at,
        event=content,
        queue=_word(submission.queue),
        job_set=_word(submission.job_set),
        owner=_word(submission.submitted_by),
        namespace=_word(submission.namespace),
        state=job.state,
        ending=job.ending,
    )


def _id(content: JobContent, job_id: str, sequence: int) -> str:
    """What happens once has an id without the sequence: it is the same also in a store that was restored."""
    match content:
        case JobSubmitted():
            return job_event_id("submitted", job_id)
        case RunLeased(run_id=run_id):
            return job_event_id("leased", run_id)
        case LeaseRejected(run_id=run_id):
            return job_event_id("rejected", run_id)
        case RunDecided(run_id=run_id):
            return job_event_id("decided", run_id)
        case JobRequested():
            return job_event_id("requested", job_id, str(sequence))
        case StateChanged():
            return job_event_id("state", job_id, str(sequence))
        case _ as unreachable:
            assert_never(unreachable)


def _contents(advanced: Advanced, clusters: Mapping[str, str]) -> Iterator[JobContent]:
    yield from map(_requested, advanced.requests)
    for run in _rejected(advanced):
        following = advanced.job.next
        retry_at, reason = (None, "") if following is None else (following.not_before, following.rejected)
        yield LeaseRejected(run_id=run.run_id, retry_at=retry_at, reason=_sentence(reason))
    for effect in advanced.effects:
        if isinstance(effect, WriteVerdict):
            yield _decided(advanced.verdicts[effect.run_id])
    for run in advanced.job.runs[len(advanced.held.job.runs) :]:
        yield _leased(run, cluster=clusters[run.cluster])


def _requested(request: JobRequest) -> JobRequested:
    return JobRequested(
        kind=request.kind,
        by=_word(request.by),
        reason=_sentence(request.reason),
        refused=_sentence(request.outcome),
    )


def _rejected(advanced: Advanced) -> Iterator[JobRun]:
    """The run that was rejected by these steps."""
    for before, now in zip(advanced.held.job.runs, advanced.job.runs, strict=False):
        if before.is_open and now.was_rejected:
            yield now


def _leased(run: JobRun, *, cluster: str) -> RunLeased:
    return RunLeased(
        run_id=run.run_id,
        index=run.index,
        attempt=run.attempt,
        cluster_id=run.cluster,
        cluster=_word(cluster),
        pod_name=run.pod_name,
        granted=run.granted,
    )


def _decided(made: NewVerdict) -> RunDecided:
    explanation, verdict = made.verdict.explanation, made.verdict
    nodes, memory = verdict.avoid_nodes, _raised(verdict.mutation)
    return RunDecided(
        run_id=made.event.identity.run_id,
        attempt=made.event.identity.attempt,
        failure_id=made.event.event_id,
        action=verdict.action,
        reason=verdict.reason.value,
        sentence=_sentence(headline(explanation)),
        dialect=explanation.dialect,
        delay=None if explanation.delay is None else explanation.delay.duration,
        not_before=verdict.not_before,
        avoid_nodes=tuple(map(_word, nodes[:MOST_NODES])),
        avoid_nodes_left_out=max(len(nodes) - MOST_NODES, 0),
        avoid_preferred=bool(nodes) and verdict.avoid_strength is Strength.PREFERRED,
        memory=memory[:MOST_CONTAINERS],
        memory_left_out=max(len(memory) - MOST_CONTAINERS, 0),
        **_decider(made),
    )


def _decider(made: NewVerdict) -> dict[str, Any]:
    decider = made.verdict.explanation.decider
    if decider is None:
        return {}
    return {
        "policy": _word(decider.policy),
        "rule_number": decider.number,
        "rule": _word(decider.label),
        "rule_key": _word(decider.key),
    }


def _raised(mutation: Mutation | None) -> tuple[MemoryRaised, ...]:
    if mutation is None:
        return ()
    return tuple(
        MemoryRaised(
            container=_word(after.name),
            request_before=before.request,
            request_after=after.request,
            limit_before=before.limit,
            limit_after=after.limit,
        )
        for before, after in zip(mutation.before, mutation.after, strict=True)
    )


def _word(text: str) -> str:
    return cut(strip(text), WORD_BYTES)


def _sentence(text: str) -> str:
    return cut(strip(text), MESSAGE_BYTES)
