"""The retry that waits: whether the limits still allow it, and with how much memory it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from agent.core.history import History
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
    """The verdict on a job's last run, and the failure that it was made on. ``history`` is that of the job before."""

    held: Held
    run_id: str
    arrival: Arrival
    recorded: RecordedVerdict
    history: History


def find(connection: Connection, several: Sequence[Held], inputs: DecisionInputs) -> dict[str, Granted]:
    """What the last runs of these jobs ended with, by job id; nothing of a job whose last run has no verdict."""
    by_run = {held.job.latest.run_id: held for held in several if held.job.latest is not None}
    if not by_run:
        return {}
    runs = [run for run in timeline.of_runs(connection, by_run.keys()).values() if run.verdict is not None]
    histories = _histories(connection, {by_run[run.run_id].job.job_id: run for run in runs}, inputs)
    found = (_granted(by_run[run.run_id], run, histories) for run in runs)
    return {granted.held.job.job_id: granted for granted in found if granted is not None}


def _histories(
    connection: Connection, runs: Mapping[str, RecordedRun], inputs: DecisionInputs
) -> Mapping[str, History]:
    """The history of each job as of the verdict on its last run."""
    window = inputs.catalog.longest_window
    decided = [run.verdict.decided_at for run in runs.values() if run.verdict is not None]
    since = None if window is None or not decided else min(decided) - window
    return verdicts.histories(connection, runs.keys(), since=since, without=[run.run_id for run in runs.values()])


def _granted(held: Held, run: RecordedRun, histories: Mapping[str, History]) -> Granted | None:
    if run.verdict is None:
        return None
    decided = next((failure for failure in run.failures if failure.event_id == run.verdict.event_id), None)
    if decided is None:
        return None
    return Granted(
        held=held,
        run_id=run.run_id,
        arrival=Arrival(event=_event(held, run, decided), failure=decided.failure),
        recorded=run.verdict,
        history=histories[held.job.job_id],
    )


def is_forbidden(granted: Granted, inputs: DecisionInputs, *, pod: bytes) -> bool:
    """Whether a limit of now forbids the retry: the failure is decided again, as of when it was decided."""
    memory = memory_of(pod, instead=granted.held.memory.get(granted.run_id, ()))
    verdict = verdict_on(
        granted.arrival,
        history=granted.history,
        inputs=inputs,
        now=granted.recorded.decided_at,
        memory=memory,
    )
    return verdict.action is VerdictAction.FAIL and verdict.reason in _LIMITS


def memory_after(granted: Granted) -> Memory:
    """The memory of the next run: that of the last one, raised as the verdict on it says."""
    mutation = granted.recorded.verdict.mutation
    return raised(granted.held.memory.get(granted.run_id, ()), () if mutation is None else mutation.after)


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
