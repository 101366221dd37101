"""The retry that waits: whether the limits still allow it, and with how much memory it runs."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from agent.core.limit import Reason, VerdictAction
from agent.core.run_event import PodReference, RunEvent
from agent.scheduler.consume.batch import DecisionInputs, verdict_on
from agent.scheduler.effects.advanced import identity_of
from agent.scheduler.effects.pod_memory import memory_of, raised
from agent.store import timeline, verdicts
from agent.store.failures import Arrival
from agent.store.recorded import RecordedFailure, RecordedRun, RecordedVerdict
from agent.store.submitted.held import Held, Memory

_LIMITS: Final = frozenset(
    {
        Reason.RULE_LIMIT,
        Reason.POLICY_LIMIT,
        Reason.GLOBAL_LIMIT,
        Reason.BUDGET,
        Reason.GIVE_UP,
        Reason.WINDOW,
        Reason.ERROR_TABLE,
        Reason.LEGACY_LIMIT,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """The verdict on the last run, and the failure that it was made on."""

    run_id: str
    arrival: Arrival
    recorded: RecordedVerdict


def find(connection: Connection, held: Held) -> Granted | None:
    """What the last run ended with; ``None`` if it has no verdict."""
    latest = held.job.latest
    found = None if latest is None else timeline.find(connection, latest.run_id)
    if latest is None or found is None:
        return None
    (run,) = found.runs
    decided = next((one for one in run.failures if run.verdict and one.event_id == run.verdict.event_id), None)
    if run.verdict is None or decided is None:
        return None
    arrival = Arrival(event=_event(held, run, decided), failure=decided.failure)
    return Granted(run_id=run.run_id, arrival=arrival, recorded=run.verdict)


def is_forbidden(connection: Connection, granted: Granted, held: Held, inputs: DecisionInputs, *, pod: bytes) -> bool:
    """Whether a limit of now forbids the retry: the failure is decided again, as of when it was decided."""
    at, window, job_id = granted.recorded.decided_at, inputs.catalog.longest_window, held.job.job_id
    since = None if window is None else at - window
    history = verdicts.histories(connection, [job_id], since=since, without=[granted.run_id])[job_id]
    memory = memory_of(pod, instead=held.memory.get(granted.run_id, ()))
    verdict = verdict_on(granted.arrival, history=history, inputs=inputs, now=at, memory=memory)
    return verdict.action is VerdictAction.FAIL and verdict.reason in _LIMITS


def memory_after(granted: Granted, held: Held) -> Memory:
    """The memory of the next run: that of the last one, raised as the verdict on it says."""
    mutation = granted.recorded.verdict.mutation
    return raised(held.memory.get(granted.run_id, ()), () if mutation is None else mutation.after)


def _event(held: Held, run: RecordedRun, failure: RecordedFailure) -> RunEvent:
    latest = held.job.run(run.run_id)
    if latest is None:
        raise ValueError(f"job {held.job.job_id} has no run {run.run_id}")
    return RunEvent(
        event_id=failure.event_id,
        cluster_id=latest.cluster,
        cluster=run.cluster,
        identity=identity_of(held, latest),
        pod=PodReference(namespace=run.namespace, name=run.pod_name, uid=latest.uid or "", node=run.node),
        occurred_at=failure.occurred_at,
        observed_at=failure.observed_at,
        event=failure.failure,
    )
