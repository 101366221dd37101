"""New runs, failures and verdicts, merged into the rows of their jobs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Index, select

from agent.core.failure import UNDECIDED
from agent.core.job_state import job_state
from agent.core.limit import VerdictAction
from agent.core.run_event import RunCreated, RunEvent, RunPhase
from agent.store.columns import Row
from agent.store.failures import Arrival, outline
from agent.store.insert import insert_or_replace
from agent.store.submitted.tables import job_table as submitted_job
from agent.store.tables.failures import OUTLINE
from agent.store.tables.failures import table as failure
from agent.store.tables.jobs import table
from agent.store.tables.runs import table as run
from agent.store.tables.verdicts import table as verdict
from agent.store.verdicts import NewVerdict

# Not in the module of the table, because SQLAlchemy imports both dialects for an index with a condition.
_HAS_FAILED: Final = table.c.failed_at.is_not(None)
Index(None, table.c.state, table.c.last_at, sqlite_where=_HAS_FAILED, postgresql_where=_HAS_FAILED)
_HAS_CATEGORY: Final = table.c.category.is_not(None)
Index(None, table.c.category, table.c.last_at, sqlite_where=_HAS_CATEGORY, postgresql_where=_HAS_CATEGORY)

_UNDECIDED: Final[Row] = dict.fromkeys(
    ("action", "failed_at", "failed_run", "decided_event", "decided_event_at", *OUTLINE)
)


def record(
    connection: Connection,
    runs: Sequence[Row],
    *,
    began: Collection[str],
    events: Iterable[RunEvent],
    arrivals: Collection[Arrival] = (),
    decided: Iterable[NewVerdict] = (),
) -> None:
    """Merge what a batch says into the rows of its jobs, in the transaction that stored runs, failures and verdicts.

    ``runs`` are the rows, as they are now, of every run that an event is about, ``began`` the ids of those that were
    not known before. Neither the order of events nor their repetition matters.
    """
    there = _existing(connection, {row["job_id"] for row in runs})
    now = dict(there)
    for part in _parts(runs, began=began, events=events, arrivals=arrivals, decided=decided):
        known = now.get(part["job_id"])
        now[part["job_id"]] = part if known is None else merge(known, part)
    _find_overtaken(connection, there, now, runs)
    _amend(connection, now, arrivals, decided)
    submitted = _submitted(connection, now.values())
    changed = [
        row | {"state": _state(row, is_submitted=row["job_id"] in submitted), "last_at": _last_at(row)}
        for row in now.values()
    ]
    insert_or_replace(connection, table, [row for row in changed if row != there.get(row["job_id"])], key="job_id")


def merge(known: Row, later: Row) -> Row:
    """Merge two rows about one job. A latest run whose beginning moves back may be overtaken: see ``record``."""
    merged = {
        **known,
        "queue": known["queue"] or later["queue"],
        "job_set": known["job_set"] or later["job_set"],
        "first_at": min(known["first_at"], later["first_at"]),
        "last_end_at": max((row["last_end_at"] for row in (known, later) if row["last_end_at"]), default=None),
        "runs": known["runs"] + later["runs"],
    }
    if later["latest_run"] == known["latest_run"]:
        merged |= {name: later[name] for name in ("latest_run_at", "cluster", "namespace", "phase")}
        merged["action"] = known["action"] or later["action"]
    elif _begin(later) > _begin(known):
        merged |= {name: later[name] for name in _OF_LATEST_RUN}
    merged |= _chosen(known, later, ("failed_at", "failed_run"), choose=min)
    return merged | _chosen(known, later, ("decided_event_at", "decided_event", *OUTLINE), choose=max)


_OF_LATEST_RUN: Final = ("latest_run", "latest_run_at", "cluster", "namespace", "phase", "action")
_begin: Final = itemgetter("latest_run_at", "latest_run")


def _chosen(known: Row, later: Row, names: Sequence[str], *, choose: Any) -> Row:  # noqa: ANN401 - min or max
    """The names of one of the two rows, chosen by the first two of them, of which the first may be missing."""
    there = [row for row in (known, later) if row[names[0]] is not None]
    return {name: choose(there, key=itemgetter(*names[:2]))[name] for name in names} if there else {}


def _submitted(connection: Connection, rows: Iterable[Row]) -> set[str]:
    """Of the jobs that get another run if they were submitted, those that were."""
    retried = [row["job_id"] for row in rows if row["action"] == VerdictAction.RETRY]
    if not retried:
        return set()
    return set(connection.scalars(select(submitted_job.c.job_id).where(submitted_job.c.job_id.in_(retried))))


def _state(row: Row, *, is_submitted: bool) -> str:
    phase, action = row["phase"], row["action"]
    return job_state(
        None if phase is None else RunPhase(phase),
        action=None if action is None else VerdictAction(action),
        failed_before=row["failed_run"] not in (None, row["latest_run"]),
        is_submitted=is_submitted,
    ).value


def _last_at(row: Row) -> datetime:
    began: datetime = row["latest_run_at"]
    return began if row["last_end_at"] is None else max(began, row["last_end_at"])


def _parts(
    runs: Sequence[Row],
    *,
    began: Collection[str],
    events: Iterable[RunEvent],
    arrivals: Iterable[Arrival],
    decided: Iterable[NewVerdict],
) -> list[Row]:
    """For each run of a batch, the row of a job that has no other."""
    parts = {row["run_id"]: _part(row, is_new=row["run_id"] in began) for row in runs}
    for event in events:
        if not _goes_on(event):
            part = parts[event.identity.run_id]
            part["last_end_at"] = max(part["last_end_at"] or event.occurred_at, event.occurred_at)
    failures = {arrival.event.event_id: arrival.failure for arrival in arrivals}
    for event in (arrival.event for arrival in arrivals if arrival.failure.occurrence not in UNDECIDED):
        part, at = parts[event.identity.run_id], event.occurred_at
        if part["failed_at"] is None or at < part["failed_at"]:
            part |= {"failed_at": at, "failed_run": event.identity.run_id}
    for decision in decided:
        parts[decision.event.identity.run_id] |= {
            "action": decision.verdict.action.value,
            "decided_event": decision.event.event_id,
            "decided_event_at": decision.event.occurred_at,
            **outline(failures[decision.event.event_id]),
        }
    return list(parts.values())


def _goes_on(event: RunEvent) -> bool:
    """Whether the run has not ended by what the event says."""
    return event.event in (RunPhase.PENDING, RunPhase.RUNNING) or isinstance(event.event, RunCreated)


def _part(row: Row, *, is_new: bool) -> Row:
    return {
        **_UNDECIDED,
        **{name: row[name] for name in ("job_id", "queue", "job_set", "cluster", "namespace", "phase")},
        "reversed_id": row["job_id"][::-1],
        "first_at": row["first_occurred_at"],
        "last_end_at": None,
        "runs": int(is_new),
        "latest_run": row["run_id"],
        "latest_run_at": row["first_occurred_at"],
    }


def _existing(connection: Connection, job_ids: Collection[str]) -> dict[str, Row]:
    # Locked too, in one order: nothing forces all events of a job into one decision scope.
    query = select(table).where(table.c.job_id.in_(list(job_ids))).order_by(table.c.job_id).with_for_update()
    return {row["job_id"]: dict(row) for row in connection.execute(query).mappings()}


def _find_overtaken(connection: Connection, there: Mapping[str, Row], now: dict[str, Row], runs: Iterable[Row]) -> None:
    """Where an earlier event of what was the latest run came late, any other run of the job may be the latest now."""
    for row in runs:
        before = there.get(row["job_id"])
        if before is None or before["latest_run"] != row["run_id"]:
            continue
        if row["first_occurred_at"] < before["latest_run_at"]:
            now[row["job_id"]] = now[row["job_id"]] | _latest_run(connection, row["job_id"])


def _latest_run(connection: Connection, job_id: str) -> Row:
    query = (
        select(
            run.c.run_id.label("latest_run"),
            run.c.first_occurred_at.label("latest_run_at"),
            *(run.c[name] for name in ("cluster", "namespace", "phase")),
            verdict.c.action,
        )
        .outerjoin_from(run, verdict, verdict.c.run_id == run.c.run_id)
        .where(run.c.job_id == job_id)
        .order_by(run.c.first_occurred_at.desc(), run.c.run_id.desc())
        .limit(1)
    )
    return dict(connection.execute(query).mappings().one())


def _amend(
    connection: Connection, now: dict[str, Row], arrivals: Iterable[Arrival], decided: Iterable[NewVerdict]
) -> None:
    """Put amendments over what was decided on. One may have been stored before its failure."""
    run_ids = {decision.event.event_id: decision.event.identity.run_id for decision in decided}
    run_ids |= {arrival.amends: arrival.event.identity.run_id for arrival in arrivals if arrival.amends is not None}
    jobs = {row["decided_event"]: job_id for job_id, row in now.items() if row["decided_event"] in run_ids}
    if not jobs:
        return
    query = select(failure.c.amends, *(failure.c[name] for name in OUTLINE)).where(
        failure.c.run_id.in_({run_ids[event_id] for event_id in jobs}), failure.c.amends.in_(list(jobs))
    )
    for found in connection.execute(query).mappings():
        job_id = jobs[found["amends"]]
        now[job_id] = now[job_id] | {name: found[name] for name in OUTLINE}
