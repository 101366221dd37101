"""Values for tests of the lifecycle: short names for inputs, and jobs that inputs led to."""

from datetime import UTC, datetime, timedelta

from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Effect, Refused, Step
from agent.core.lifecycle.inputs import (
    Cancel,
    Confirmed,
    CreationFailed,
    GatedPodDeleted,
    Input,
    Leased,
    LeaseExpired,
    LimitLowered,
    NameTaken,
    NeverRetry,
    NotCreated,
    PhaseReported,
    Preempted,
    Retry,
    RunCreated,
    RunFailed,
    RunRejected,
    RunStopped,
    TimePassed,
)
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import Fail, GracefulShutdown, LostCluster, RetryAt, RunTerms, RunVerdict
from agent.core.run_event import Confirmation, RunPhase, StopAnswer

T0 = datetime(2026, 11, 26, tzinfo=UTC)
GRACE = timedelta(seconds=30)
BACKOFF = timedelta(seconds=10)
CONFIRMED = RunTerms(lost_cluster=LostCluster.WAIT, graceful_shutdown=GracefulShutdown.CONFIRMED, grace=GRACE)
TIMER = RunTerms(lost_cluster=LostCluster.REPLACE, graceful_shutdown=GracefulShutdown.TIMER, grace=GRACE)
AT_ONCE = RunTerms(lost_cluster=LostCluster.REPLACE, graceful_shutdown=GracefulShutdown.TIMER, grace=timedelta(0))
TERMS = {"confirmed": CONFIRMED, "timer": TIMER, "at-once": AT_ONCE}


WORDS: dict[str, Input] = {
    "cancel": Cancel(),
    "never-retry": NeverRetry(),
    "limit-lowered": LimitLowered(),
    "time-passed": TimePassed(),
}


def verdict(action: str, now: datetime) -> RunVerdict:
    return Fail() if action == "fail" else RetryAt(at=now + BACKOFF)


def read(words: str, now: datetime) -> Input:  # noqa: C901, PLR0911, PLR0912 - a line for each word
    """The input that words name, such as ``failed u0 retry confirmed``; all in the cluster ``east``."""
    kind, *rest = words.split()
    cluster = "west" if "in-west" in rest else "east"
    rest = [word for word in rest if word != "in-west"]
    proof = Confirmation.CONTAINERS if rest and rest[-1] == "confirmed" else None
    match kind:
        case "leased":
            return Leased(run_id=rest[0], terms=TERMS[rest[1]], cluster=cluster)
        case "created":
            return RunCreated(run_id=rest[0], uid=rest[1], cluster=cluster)
        case "pending":
            return PhaseReported(uid=rest[0], phase=RunPhase.PENDING, cluster=cluster)
        case "running":
            return PhaseReported(uid=rest[0], phase=RunPhase.RUNNING, node="n1", cluster=cluster)
        case "succeeded":
            return PhaseReported(uid=rest[0], phase=RunPhase.SUCCEEDED, confirmed=proof, cluster=cluster)
        case "failed":
            return RunFailed(uid=rest[0], verdict=verdict(rest[1], now), confirmed=proof, cluster=cluster)
        case "gated-deleted":
            return GatedPodDeleted(uid=rest[0], verdict=verdict(rest[1], now), cluster=cluster)
        case "stopped":
            return RunStopped(uid=rest[0], answer=StopAnswer(rest[1]), confirmed=proof, cluster=cluster)
        case "confirmed":
            return Confirmed(uid=rest[0], by=Confirmation(rest[1]), cluster=cluster)
        case "rejected":
            return RunRejected(run_id=rest[0], retry_at=now + BACKOFF, reason="quota", cluster=cluster)
        case "creation-failed":
            return CreationFailed(run_id=rest[0], verdict=verdict(rest[1], now), cluster=cluster)
        case "name-taken":
            return NameTaken(run_id=rest[0], uid=rest[1], cluster=cluster)
        case "not-created":
            return NotCreated(run_id=rest[0], as_of=now)
        case "lease-expired":
            return LeaseExpired(run_id=rest[0], verdict=verdict(rest[1], now))
        case "preempted":
            return Preempted(run_id=rest[0], verdict=verdict(rest[1], now))
        case "retry":
            return Retry(again=rest == ["again"])
        case _:
            return WORDS[kind]


def after(job: SubmittedJob, result: Step | Refused) -> SubmittedJob:
    return result.job if isinstance(result, Step) else job


def effects_of(result: Step | Refused) -> tuple[Effect, ...]:
    return result.effects if isinstance(result, Step) else ()


def play(*lines: str, job_id: str = "j") -> tuple[SubmittedJob, Step | Refused]:
    """The job after lines such as ``5s leased r0 timer``, and the result of the last; times are absolute."""
    job = SubmittedJob(job_id=job_id)
    result: Step | Refused = Step(job)
    for line in lines:
        seconds, _, words = line.partition(" ")
        now = T0 + timedelta(seconds=float(seconds.removesuffix("s")))
        result = advance(job, read(words, now), now)
        job = after(job, result)
    return job, result
