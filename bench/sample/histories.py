"""Sample histories: what agents and schedulers publish about jobs, in the order of time. 24 of 100 runs failed.

Of every 20 jobs four succeed at the second attempt, one fails at both, and the rest succeed at the first. Every second
job was submitted; of the others agents report pods that somebody else made. The jobs of a month are spread over it.
"""

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from agent.broker.port import Message
from agent.broker.topics import JOB_EVENTS, events_topic
from agent.core.failure import Failure
from agent.core.job_event import JobContent, JobEvent, JobSubmitted, RunDecided, RunLeased, StateChanged
from agent.core.lifecycle.job import EndedBy, Ending
from agent.core.lifecycle.state import FINAL, State
from agent.core.limit import VerdictAction
from agent.core.run_event import Content, Identity, PodReference, RunCreated, RunEvent, RunPhase
from agent.wire import events, job_event

SEED: Final = 20260101
START: Final = datetime(2026, 1, 3, tzinfo=UTC)
RUN_TOPIC: Final = events_topic("bench")
RUNS_OF_20_JOBS: Final = 25
MONTH: Final = timedelta(days=30)
_QUEUES, _NODES, _CLUSTERS, _NAMESPACES, _OWNERS, _POLICIES = 40, 2_000, 12, 200, 400, 6
_FATES: Final = {3: "fs", 8: "fs", 11: "fs", 16: "fs", 18: "ff"}
"""How the attempts of a job end, by its number modulo 20; all others succeed at once."""

Event = RunEvent | JobEvent


@dataclass(slots=True, kw_only=True)
class _Job:
    """A job. ``sequence`` is the number of its last job event, ``now`` the time of its last event."""

    number: int
    queue: str
    namespace: str
    owner: str
    policy: str
    now: datetime
    rng: Random
    sequence: int = 0
    happened: list[tuple[datetime, Event]] = field(default_factory=list)

    @property
    def job_id(self) -> str:
        return f"01jd{self.number:022d}"

    @property
    def is_submitted(self) -> bool:
        return self.number % 2 == 0

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def decided(self, content: JobContent, state: State) -> None:
        """Add what the scheduler decided."""
        self.sequence += 1
        ending = None
        if self.is_submitted and state in FINAL:
            by = EndedBy.SUCCESS if state is State.SUCCEEDED else EndedBy.VERDICT
            ending = Ending(state=state, by=by, at=self.now)
        event = JobEvent(
            event_id=f"{self.rng.getrandbits(128):032x}",
            job_id=self.job_id,
            sequence=self.sequence,
            at=self.now,
            event=content,
            queue=self.queue,
            job_set=f"set-{self.number // 200}",
            owner=self.owner if self.is_submitted else "",
            namespace=self.namespace,
            state=state if self.is_submitted else None,
            ending=ending,
        )
        self.happened.append((self.now, event))

    def observed(self, pod: "_Pod", content: Content) -> None:
        """Add what the agent of the pod's cluster saw."""
        node = "" if isinstance(content, RunCreated) or content is RunPhase.PENDING else pod.node
        event = RunEvent(
            event_id=f"{self.rng.getrandbits(128):032x}",
            cluster_id=f"{pod.cluster:036x}",
            cluster=f"cluster-{pod.cluster}",
            identity=pod.identity,
            pod=PodReference(
                namespace=self.namespace, name=f"armada-{self.job_id}-{pod.attempt}", uid=pod.uid, node=node
            ),
            occurred_at=self.now,
            observed_at=self.now + timedelta(milliseconds=20),
            event=content,
        )
        self.happened.append((self.now, event))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pod:
    """The pod of a run."""

    identity: Identity
    attempt: int
    cluster: int
    node: str
    uid: str


def events_of(number: int, failures: Sequence[Failure], *, start: datetime = START) -> Iterator[Event]:
    """What happened to this many runs, a multiple of 25, from ``start`` on, each failure drawn from ``failures``."""
    rng = Random(SEED)
    jobs = number * 20 // RUNS_OF_20_JOBS
    order, waiting = itertools.count(), list[tuple[datetime, int, Event]]()
    for job in range(jobs):
        at = start + MONTH * job / jobs
        while waiting and waiting[0][0] <= at:
            yield heapq.heappop(waiting)[2]
        for happened, event in _history(job, at, rng, failures):
            heapq.heappush(waiting, (happened, next(order), event))
    while waiting:
        yield heapq.heappop(waiting)[2]


def published(index: int, event: Event) -> tuple[str, Message]:
    """A topic, and an event as the agent or the scheduler publishes it there."""
    if isinstance(event, JobEvent):
        return JOB_EVENTS, Message(key=event.job_id, payload=job_event.encode(event), event_time=event.at)
    place = {"spool_id": "bench-spool", "previous": str(index), "sequence": str(index + 1)}
    numbered = {"event_id": event.event_id, **place}
    message = Message(
        key=event.identity.scope, payload=events.encode(event), properties=numbered, event_time=event.occurred_at
    )
    return RUN_TOPIC, message


def _history(number: int, at: datetime, rng: Random, failures: Sequence[Failure]) -> list[tuple[datetime, Event]]:
    queue = min(int(rng.expovariate(0.15)), _QUEUES - 1)
    job = _Job(
        number=number,
        queue=f"queue-{queue}",
        namespace=f"ns-{(queue * 5 + rng.randrange(5)) % _NAMESPACES}",
        owner=f"person-{min(int(rng.expovariate(0.02)), _OWNERS - 1)}",
        policy=f"policy-{queue % _POLICIES}",
        now=at,
        rng=rng,
    )
    if job.is_submitted:
        job.decided(JobSubmitted(name="train", client_id=f"client-{number}", priority=1.0), State.QUEUED)
    fates = _FATES.get(number % 20, "s")
    for attempt, fate in enumerate(fates):
        failure = rng.choice(failures) if fate == "f" else None
        _run(job, attempt, failure, is_last=attempt == len(fates) - 1)
    return job.happened


def _run(job: _Job, attempt: int, failure: Failure | None, *, is_last: bool) -> None:
    """Add what happens to one run. What is observed of a submitted job moves its state."""
    pod = _pod(job, attempt)
    if job.is_submitted:
        job.wait(1 + job.rng.expovariate(0.1))
        job.decided(_leased(job, pod), State.LEASED)
        job.wait(0.5)
        job.observed(pod, RunCreated())
    _phase(job, pod, RunPhase.PENDING, State.PENDING)
    job.wait(job.rng.expovariate(0.1))
    _phase(job, pod, RunPhase.RUNNING, State.RUNNING)
    job.wait(min(job.rng.expovariate(1 / 900), 7_200))
    if failure is None:
        _phase(job, pod, RunPhase.SUCCEEDED, State.SUCCEEDED)
    else:
        _failed(job, pod, failure, is_last=is_last)


def _phase(job: _Job, pod: _Pod, phase: RunPhase, state: State) -> None:
    job.observed(pod, phase)
    if job.is_submitted:
        job.wait(0.1)
        job.decided(StateChanged(), state)


def _failed(job: _Job, pod: _Pod, failure: Failure, *, is_last: bool) -> None:
    job.observed(pod, failure)
    event = job.happened[-1][1]
    job.wait(0.1)
    action = VerdictAction.FAIL if is_last else VerdictAction.RETRY
    decided = RunDecided(
        run_id=pod.identity.run_id,
        attempt=pod.attempt,
        failure_id=event.event_id,
        action=action,
        reason="rule",
        sentence=f"Rule 2 of {job.policy}, categories, decided: {action}.",
        policy=job.policy,
        rule_number=2,
        rule="categories",
        rule_key="k2",
        dialect="armada",
        delay=timedelta(0) if action is VerdictAction.RETRY else None,
        avoid_nodes=(pod.node,) if action is VerdictAction.RETRY else (),
    )
    job.decided(decided, State.FAILED if is_last else State.RETRY_WAITING)


def _leased(job: _Job, pod: _Pod) -> RunLeased:
    return RunLeased(
        run_id=pod.identity.run_id,
        index=pod.attempt,
        attempt=pod.attempt,
        cluster_id=f"{pod.cluster:036x}",
        cluster=f"cluster-{pod.cluster}",
        pod_name=f"armada-{job.job_id}-{pod.attempt}",
    )


def _pod(job: _Job, attempt: int) -> _Pod:
    node = job.rng.randrange(_NODES)
    identity = Identity(
        job_id=job.job_id,
        run_id=f"{job.rng.getrandbits(128):032x}",
        queue=job.queue,
        job_set=f"set-{job.number // 200}",
        attempt=attempt,
        index=attempt,
    )
    uid = f"{job.rng.getrandbits(128):032x}"
    return _Pod(identity=identity, attempt=attempt, cluster=node % _CLUSTERS, node=f"node-{node}", uid=uid)
