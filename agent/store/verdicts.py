"""New verdicts, and the counts over those that are there. They are queries: a stored counter could differ."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Connection, RowMapping, func, select

from agent.core.decision.verdict import Verdict
from agent.core.history import FailedOn, History
from agent.core.limit import Charge, VerdictAction
from agent.core.run_event import RunEvent
from agent.store.columns import Row, UtcTime
from agent.store.explanations import encode_explanation
from agent.store.insert import insert as insert_rows
from agent.store.submitted.tables import run_table as run
from agent.store.tables.failures import table as failure
from agent.store.tables.verdicts import table

_RETURNED: Final = (run.c.run_id == table.c.run_id) & run.c.grant_returned
"""The retry that a verdict granted is not counted: the run succeeded after all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVerdict:
    """A verdict, the event it was made on, and when."""

    event: RunEvent
    verdict: Verdict
    decided_at: datetime


def decided_runs(connection: Connection, run_ids: Collection[str]) -> set[str]:
    """Which of the runs have a verdict."""
    if not run_ids:
        return set()
    return set(connection.scalars(select(table.c.run_id).where(table.c.run_id.in_(run_ids))))


def histories(
    connection: Connection,
    job_ids: Collection[str],
    *,
    since: datetime | None = None,
    without: Collection[str] = (),
) -> dict[str, History]:
    """The history of each job; an empty one for a job without verdicts.

    The times of retries are read only from ``since`` on, and not at all without it: only windows count them. It is
    as if the runs ``without`` had no verdict.
    """
    counts = {job_id: _Counts() for job_id in job_ids}
    if not job_ids:
        return {}
    kinds = (table.c.action, table.c.rule_key, table.c.charge, table.c.undisturbed, table.c.shadow_key)
    returned = run.c.run_id.is_not(None)
    query = (
        select(
            table.c.job_id,
            *kinds,
            returned.label("returned"),
            func.max(table.c.backoff_base).label("base"),
            func.min(table.c.began_at, type_=UtcTime()).label("began_at"),
            func.sum(table.c.lasted_seconds).label("lasted"),
            func.count().label("count"),
        )
        .outerjoin(run, _RETURNED)
        .where(*_counted(job_ids, without))
        .group_by(table.c.job_id, *kinds, returned)
    )
    for row in connection.execute(query).mappings():
        counts[row["job_id"]].add(row)
    nodes, times = _nodes(connection, job_ids, without), _times(connection, job_ids, since, without)
    return {job_id: counted.history(nodes[job_id], times.get(job_id, {})) for job_id, counted in counts.items()}


def _counted(job_ids: Collection[str], without: Collection[str]) -> list[ColumnElement[bool]]:
    of_jobs = table.c.job_id.in_(job_ids)
    return [of_jobs, table.c.run_id.not_in(without)] if without else [of_jobs]


@dataclass(slots=True)
class _Counts:
    """Adds up the counts of one job from rows that each stand for a number of like verdicts."""

    runs: int = 0
    undisturbed: int = 0
    granted: Counter[str] = field(default_factory=Counter)
    charged: Counter[Charge] = field(default_factory=Counter)
    bases: dict[str, int] = field(default_factory=dict)
    shadow: Counter[str] = field(default_factory=Counter)
    ungoverned: int = 0
    began_at: datetime | None = None
    ran: timedelta = timedelta(0)

    def add(self, row: RowMapping) -> None:
        count, key = row["count"], row["rule_key"]
        self.runs += count
        if row["shadow_key"] is not None:
            self.shadow[row["shadow_key"]] += count
        self.ran += timedelta(seconds=row["lasted"] or 0)
        if row["began_at"] is not None:
            self.began_at = min(self.began_at or row["began_at"], row["began_at"])
        if row["action"] != VerdictAction.RETRY or row["returned"]:
            return
        if key is None:
            self.ungoverned += count
            return
        self.granted[key] += count
        self.undisturbed += count if row["undisturbed"] else 0
        if row["charge"] is not None:
            self.charged[Charge(row["charge"])] += count
        if row["base"]:
            self.bases[key] = max(self.bases.get(key, 0), row["base"])

    def history(self, nodes: tuple[FailedOn, ...], granted_at: Mapping[str, tuple[datetime, ...]]) -> History:
        return History(
            runs=self.runs,
            granted=dict(self.granted),
            undisturbed=self.undisturbed,
            charged=dict(self.charged),
            backoff_bases=self.bases,
            shadow=dict(self.shadow),
            nodes=nodes,
            ungoverned=self.ungoverned,
            granted_at=granted_at,
            began_at=self.began_at,
            ran=self.ran,
        )


def _times(
    connection: Connection, job_ids: Collection[str], since: datetime | None, without: Collection[str]
) -> dict[str, dict[str, tuple[datetime, ...]]]:
    """When retries were granted, by job and rule key, the latest last."""
    if since is None:
        return {}
    query = (
        select(table.c.job_id, table.c.rule_key, table.c.decided_at)
        .outerjoin(run, _RETURNED)
        .where(
            run.c.run_id.is_(None),
            *_counted(job_ids, without),
            table.c.action == VerdictAction.RETRY.value,
            table.c.rule_key.is_not(None),
            table.c.decided_at > since,
        )
        .order_by(table.c.decided_at)
    )
    found: dict[str, dict[str, tuple[datetime, ...]]] = defaultdict(dict)
    for job_id, key, at in connection.execute(query):
        found[job_id][key] = (*found[job_id].get(key, ()), at)
    return found


def _nodes(
    connection: Connection, job_ids: Collection[str], without: Collection[str]
) -> dict[str, tuple[FailedOn, ...]]:
    """The nodes on which runs with a verdict failed, each once, the latest last."""
    latest = func.max(failure.c.occurred_at, type_=UtcTime()).label("at")
    query = (
        select(table.c.job_id, failure.c.node, latest)
        .join(failure, failure.c.event_id == table.c.event_id)
        .where(*_counted(job_ids, without), failure.c.node != "")
        .group_by(table.c.job_id, failure.c.node)
        .order_by(latest, failure.c.node)
    )
    found: dict[str, list[FailedOn]] = defaultdict(list)
    for job_id, node, at in connection.execute(query):
        found[job_id].append(FailedOn(node=node, at=at))
    return {job_id: tuple(found[job_id]) for job_id in job_ids}


def insert(connection: Connection, decided: Sequence[NewVerdict]) -> None:
    """Store verdicts. Raises RowRefused if a run has one already: nothing may replace a verdict."""
    insert_rows(connection, table, [_row(verdict) for verdict in decided])


def _row(decided: NewVerdict) -> Row:
    verdict, event = decided.verdict, decided.event
    return {
        "run_id": event.identity.run_id,
        "job_id": event.identity.job_id,
        "event_id": event.event_id,
        "action": verdict.action.value,
        "reason": verdict.reason.value,
        "policy": verdict.policy,
        "rule_key": verdict.rule_key,
        "delay_seconds": verdict.delay.total_seconds(),
        "not_before": verdict.not_before,
        "avoid_nodes": list(verdict.avoid_nodes),
        "decided_at": decided.decided_at,
        "explanation": encode_explanation(verdict.explanation),
        "charge": None if verdict.past.charge is None else verdict.past.charge.value,
        "undisturbed": verdict.past.undisturbed,
        "backoff_base": verdict.past.backoff_base,
        "shadow_key": verdict.past.shadow_key,
        "began_at": verdict.past.began_at,
        "lasted_seconds": None if verdict.past.lasted is None else verdict.past.lasted.total_seconds(),
    }
