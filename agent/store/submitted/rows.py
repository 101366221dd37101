"""Submitted jobs and their runs as rows, and back. No database here."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any, assert_never

from sqlalchemy import RowMapping

from agent.core.lifecycle.job import EndedBy, Ending, NextRun, SubmittedJob
from agent.core.lifecycle.run import (
    Closed,
    Closing,
    Fail,
    GracefulShutdown,
    JobRun,
    LostCluster,
    NameHeld,
    RetryAt,
    RunTerms,
    RunVerdict,
)
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction
from agent.core.run_event import Confirmation, RunPhase, StopAnswer
from agent.store.columns import Row

_Stored = RowMapping | Mapping[str, Any]


def job_row(job: SubmittedJob) -> Row:
    """The columns of a job that change while it lives."""
    following = job.next
    return {
        "state": job.state.value,
        "opening": job.opening,
        "never_retry": job.never_retry,
        "next_index": None if following is None else following.index,
        "next_attempt": None if following is None else following.attempt,
        "next_not_before": None if following is None else following.not_before,
        "next_granted": None if following is None else following.granted,
        "next_rejected": None if following is None else following.rejected,
    }


def ending_row(job_id: str, ending: Ending) -> Row:
    return {
        "job_id": job_id,
        "opening": ending.opening,
        "state": ending.state.value,
        "ended_by": ending.by.value,
        "at": ending.at,
    }


def run_row(job_id: str, place: int, run: JobRun) -> Row:
    """All columns of a run but ``memory``."""
    action, retry_at = _verdict_columns(run.verdict)
    return {
        "run_id": run.run_id,
        "job_id": job_id,
        "place": place,
        "run_index": run.index,
        "attempt": run.attempt,
        "generation": run.generation,
        "cluster_id": run.cluster,
        "lost_cluster": run.terms.lost_cluster.value,
        "graceful_shutdown": run.terms.graceful_shutdown.value,
        "grace_seconds": run.terms.grace.total_seconds(),
        "pod_name": run.pod_name,
        "granted": run.granted,
        "opened_at": run.opened_at,
        "sent_at": run.sent_at,
        "sent": run.sent,
        "uid": run.uid,
        "node": run.node,
        "phase": _value(run.phase),
        "name_held_uid": None if run.name_held is None else run.name_held.uid,
        "name_held_since": None if run.name_held is None else run.name_held.since,
        "closed_why": None if run.closed is None else run.closed.why.value,
        "closed_at": None if run.closed is None else run.closed.at,
        "verdict": action,
        "retry_at": retry_at,
        "grant_returned": run.grant_returned,
        "answered": _value(run.answered),
        "confirmed": _value(run.confirmed),
    }


def _value(word: StrEnum | None) -> str | None:
    return None if word is None else word.value


def _verdict_columns(verdict: RunVerdict | None) -> tuple[Any, Any]:
    match verdict:
        case None:
            return None, None
        case RetryAt():
            return VerdictAction.RETRY.value, verdict.at
        case Fail():
            return VerdictAction.FAIL.value, None
        case _ as unreachable:
            assert_never(unreachable)


def job_of(row: _Stored, runs: Sequence[JobRun], ending: Ending | None) -> SubmittedJob:
    """The job in a row."""
    return SubmittedJob(
        job_id=row["job_id"],
        state=State(row["state"]),
        runs=tuple(runs),
        next=_next(row),
        ending=ending,
        opening=row["opening"],
        never_retry=row["never_retry"],
    )


def _next(row: _Stored) -> NextRun | None:
    if row["next_index"] is None:
        return None
    return NextRun(
        index=row["next_index"],
        attempt=row["next_attempt"],
        not_before=row["next_not_before"],
        granted=row["next_granted"],
        rejected=row["next_rejected"],
    )


def ending_of(row: _Stored) -> Ending:
    """The ending in a row."""
    return Ending(state=State(row["state"]), by=EndedBy(row["ended_by"]), at=row["at"], opening=row["opening"])


def run_of(row: _Stored) -> JobRun:
    """The run in a row."""
    return JobRun(
        run_id=row["run_id"],
        index=row["run_index"],
        attempt=row["attempt"],
        generation=row["generation"],
        cluster=row["cluster_id"],
        terms=_terms(row),
        pod_name=row["pod_name"],
        granted=row["granted"],
        opened_at=row["opened_at"],
        sent_at=row["sent_at"],
        sent=row["sent"],
        uid=row["uid"],
        node=row["node"],
        phase=None if row["phase"] is None else RunPhase(row["phase"]),
        name_held=_name_held(row),
        closed=_closed(row),
        verdict=_verdict(row),
        grant_returned=row["grant_returned"],
        answered=None if row["answered"] is None else StopAnswer(row["answered"]),
        confirmed=None if row["confirmed"] is None else Confirmation(row["confirmed"]),
    )


def _terms(row: _Stored) -> RunTerms:
    return RunTerms(
        lost_cluster=LostCluster(row["lost_cluster"]),
        graceful_shutdown=GracefulShutdown(row["graceful_shutdown"]),
        grace=timedelta(seconds=row["grace_seconds"]),
    )


def _name_held(row: _Stored) -> NameHeld | None:
    if row["name_held_uid"] is None:
        return None
    return NameHeld(uid=row["name_held_uid"], since=row["name_held_since"])


def _closed(row: _Stored) -> Closed | None:
    return None if row["closed_why"] is None else Closed(why=Closing(row["closed_why"]), at=row["closed_at"])


def _verdict(row: _Stored) -> RunVerdict | None:
    if row["verdict"] is None:
        return None
    return Fail() if row["verdict"] == VerdictAction.FAIL else RetryAt(at=row["retry_at"])
