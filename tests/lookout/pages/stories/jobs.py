"""The life of a job of the week, as agents and the scheduler report it: its runs, its failures, and the verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from agent.core.evidence import ContainerMemory
from agent.core.history import History
from agent.core.job_event import JobContent, JobEvent, JobSubmitted, RunLeased, StateChanged
from agent.core.lifecycle.job import EndedBy, Ending
from agent.core.lifecycle.state import FINAL, State
from agent.core.limit import VerdictAction
from agent.core.retry.catalog import Catalog
from agent.core.retry.compiled import compile_policy
from agent.core.retry.policy import RetrySettings
from agent.core.run_event import Confirmation, Content, Identity, PodReference, RunCreated, RunEvent, RunPhase
from agent.lookout.store.entries import Entry
from agent.manifests.retry.load import load_retry_policy
from agent.scheduler.consume.batch import DecisionInputs, arrival_of, verdict_on
from agent.scheduler.effects.job_events import of_observed
from agent.store.verdicts import NewVerdict
from tests.lookout.pages.stories.kinds import GIBIBYTE, NAMESPACES, FailedRun, Kind

NODES: Final = 24
"""Of each cluster."""

CLUSTER_IDS: Final[Mapping[str, str]] = {
    "gpu-east": "5b1f0c9e-6a57-4f0c-9d53-0c1f1f6a2e11",
    "cpu-west": "c0de7a34-9a0b-4f55-8a6e-8e2f6f1d7b22",
}
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"


@dataclass(frozen=True, slots=True)
class Work:
    """What a queue runs: names of jobs, who owns them, and the memory of a run."""

    queue: str
    names: Sequence[str]
    owners: Sequence[str]
    memory: int


WORK: Final = {
    "gpu-east": (
        Work("vision", ("resnet50", "segment-lungs", "depth-net"), ("ada", "bo"), 64 * GIBIBYTE),
        Work("language", ("finetune-7b", "pretrain-1b", "embed-corpus"), ("chen", "dora", "emil"), 32 * GIBIBYTE),
    ),
    "cpu-west": (
        Work("reports", ("nightly-orders", "refunds", "churn"), ("fatima", "goran"), 16 * GIBIBYTE),
        Work("genomics", ("variant-call", "align-reads"), ("hana", "ines"), 48 * GIBIBYTE),
    ),
}


@dataclass(slots=True, kw_only=True)
class _Job:
    """A job, and what happened to it so far. ``sequence`` is the number of its last job event."""

    number: int
    job_id: str
    name: str
    cluster: str
    work: Work
    owner: str
    now: datetime
    rng: Random
    memory: int
    sequence: int = 0
    history: History = field(default_factory=History)
    happened: list[tuple[datetime, Entry]] = field(default_factory=list)

    def wait(self, *, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def decided(self, content: JobContent, state: State, by: EndedBy = EndedBy.VERDICT) -> None:
        """Add what the scheduler decided, and the state after it."""
        self.sequence += 1
        event = JobEvent(
            event_id=f"{self.job_id}-{self.sequence}",
            job_id=self.job_id,
            sequence=self.sequence,
            at=self.now,
            event=content,
            queue=self.work.queue,
            job_set=f"{self.name}-{self.number // 60:02d}",
            owner=self.owner,
            namespace=NAMESPACES[self.cluster],
            state=state,
            ending=Ending(state=state, by=by, at=self.now) if state in FINAL else None,
        )
        self.happened.append((self.now, event))

    def observed(self, run: "_Run", content: Content, confirmed: Confirmation | None = None) -> RunEvent:
        """Add what the agent of the cluster saw."""
        scheduled = not isinstance(content, RunCreated) and content is not RunPhase.PENDING
        event = RunEvent(
            event_id=f"{run.run_id}-{len(self.happened)}",
            cluster_id=CLUSTER_IDS[self.cluster],
            cluster=self.cluster,
            identity=self._identity(run),
            pod=PodReference(
                namespace=NAMESPACES[self.cluster], name=run.pod, uid=run.uid, node=run.node if scheduled else ""
            ),
            occurred_at=self.now,
            observed_at=self.now + timedelta(milliseconds=200),
            event=content,
            confirmed=confirmed,
        )
        self.happened.append((self.now, event))
        return event

    def _identity(self, run: "_Run") -> Identity:
        return Identity(
            job_id=self.job_id,
            run_id=run.run_id,
            queue=self.work.queue,
            job_set=f"{self.name}-{self.number // 60:02d}",
            attempt=run.attempt,
            index=run.attempt,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One run and its pod."""

    attempt: int
    run_id: str
    pod: str
    uid: str
    node: str


def life(number: int, at: datetime, kind: Kind | None, rng: Random) -> list[tuple[datetime, Entry]]:
    """All that happens to a job, submitted at that time, until it has ended; ``kind`` is how it fails, if it does."""
    job = _job(number, at, kind, rng)
    job.decided(JobSubmitted(name=job.name, client_id=f"{job.name}-{job.number}", priority=1.0), State.QUEUED)
    attempt = 0
    while _run(job, attempt, kind if kind is not None and (kind.runs is None or attempt < kind.runs) else None):
        attempt += 1
    return job.happened


def _job(number: int, at: datetime, kind: Kind | None, rng: Random) -> _Job:
    cluster = rng.choice(sorted(NAMESPACES)) if kind is None else kind.cluster
    work = rng.choice(WORK[cluster])
    return _Job(
        number=number,
        job_id=_ulid(at, rng),
        name=rng.choice(work.names),
        cluster=cluster,
        work=work,
        owner=rng.choice(work.owners),
        now=at,
        rng=rng,
        memory=work.memory,
    )


def _run(job: _Job, attempt: int, kind: Kind | None) -> bool:
    """Add what happens to one run; whether another follows."""
    run = _begin(job, attempt, kind)
    began = job.now
    if kind is None:
        job.wait(seconds=job.rng.uniform(20, 150) * 60)
        job.observed(run, RunPhase.SUCCEEDED, Confirmation.CONTAINERS)
        job.decided(StateChanged(), State.SUCCEEDED, by=EndedBy.SUCCESS)
        return False
    job.wait(seconds=kind.ran.total_seconds() * job.rng.uniform(0.5, 1.5))
    failed = FailedRun(
        job_id=job.job_id,
        run_id=run.run_id,
        pod=run.pod,
        uid=run.uid,
        node=run.node,
        began=began,
        ended=job.now,
        memory=job.memory,
    )
    return _decide(job, job.observed(run, kind.failure(failed), Confirmation.CONTAINERS))


def _begin(job: _Job, attempt: int, kind: Kind | None) -> _Run:
    """Lease a run, and see its pod start."""
    node = f"{job.cluster.partition('-')[0]}-{job.rng.randrange(1, NODES + 1):02d}"
    run = _Run(
        attempt=attempt,
        run_id=_ulid(job.now, job.rng),
        pod=f"{job.name}-{job.job_id[-6:]}-{attempt}",
        uid=f"{job.rng.getrandbits(128):032x}",
        node=job.rng.choice(kind.only_on) if kind is not None and kind.only_on else node,
    )
    job.wait(seconds=job.rng.uniform(2, 60))
    leased = RunLeased(
        run_id=run.run_id,
        index=attempt,
        attempt=attempt,
        cluster_id=CLUSTER_IDS[job.cluster],
        cluster=job.cluster,
        pod_name=run.pod,
    )
    job.decided(leased, State.LEASED)
    job.wait(seconds=1)
    job.observed(run, RunCreated())
    job.observed(run, RunPhase.PENDING)
    job.decided(StateChanged(), State.PENDING)
    job.wait(seconds=job.rng.uniform(3, 40))
    if kind is None or not kind.waiting:
        job.observed(run, RunPhase.RUNNING)
        job.decided(StateChanged(), State.RUNNING)
    return run


def _decide(job: _Job, event: RunEvent) -> bool:
    """Add the verdict on a failure; whether another run follows."""
    job.wait(seconds=0.5)
    arrival = arrival_of(event)
    if arrival is None:
        raise ValueError(f"{event.event_id} is no failure")
    main = ContainerMemory(name="main", request=job.memory, limit=job.memory)
    verdict = verdict_on(arrival, history=job.history, inputs=_inputs(), now=job.now, memory=(main,))
    made = NewVerdict(event=event, verdict=verdict, decided_at=job.now)
    (observed,) = of_observed([made], {job.job_id: job.history})
    job.history = job.history.followed_by(verdict.granted_under, past=verdict.past)
    again = verdict.action is VerdictAction.RETRY
    job.decided(observed.event, State.RETRY_WAITING if again else State.FAILED)
    if again:
        grown = () if verdict.mutation is None else verdict.mutation.after
        job.memory = max((container.limit or 0 for container in grown), default=job.memory)
        job.wait(seconds=verdict.delay.total_seconds())
    return again


@cache
def _inputs() -> DecisionInputs:
    file = Path(__file__).with_name("policy.yaml")
    policy = compile_policy(load_retry_policy(file.read_bytes(), file=file.name))
    return DecisionInputs(
        catalog=Catalog({policy.policy.name: policy}, default=policy.policy.name),
        settings=RetrySettings(enabled=True, default_policy_name=policy.policy.name),
        grace_period=timedelta(seconds=30),
        draw=lambda: 0.0,
    )


def _ulid(at: datetime, rng: Random) -> str:
    """An id as schedulers give it: of the time, and random."""
    number, digits = int(at.timestamp() * 1000), ""
    for _ in range(10):
        number, rest = divmod(number, 32)
        digits = _ALPHABET[rest] + digits
    return digits + "".join(rng.choices(_ALPHABET, k=16))
