"""Verdicts as rows, and the counts over them (design 5: counts are queries, not stored counters)."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Connection, RowMapping, func, select

from agent.core.explanation import Explanation
from agent.core.failure import RunEvent
from agent.core.history import History
from agent.core.retry.outcome import Reason, VerdictAction
from agent.core.verdict import Verdict
from agent.store.identity_columns import Row
from agent.store.tables import verdict as table


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A verdict, the event it was made on, and when."""

    event: RunEvent
    verdict: Verdict
    decided_at: datetime


def decided_runs(connection: Connection, run_ids: Collection[str]) -> set[str]:
    """Those of the runs that have a verdict."""
    if not run_ids:
        return set()
    return set(connection.scalars(select(table.c.run_id).where(table.c.run_id.in_(run_ids))))


def histories(connection: Connection, job_ids: Collection[str]) -> dict[str, History]:
    """The history of each job, also of those that have none yet."""
    runs: dict[str, int] = dict.fromkeys(job_ids, 0)
    granted: dict[str, dict[str, int]] = defaultdict(dict)
    if not job_ids:
        return {}
    query = (
        select(table.c.job_id, table.c.action, table.c.rule_key, func.count())
        .where(table.c.job_id.in_(job_ids))
        .group_by(table.c.job_id, table.c.action, table.c.rule_key)
    )
    for job_id, action, rule_key, count in connection.execute(query):
        runs[job_id] += count
        if action == VerdictAction.RETRY and rule_key is not None:
            granted[job_id][rule_key] = count
    return {job_id: History(runs=count, granted=granted[job_id]) for job_id, count in runs.items()}


def insert(connection: Connection, decided: Sequence[Decided]) -> None:
    """Store verdicts. Raises RowRefused where a run has one already: nothing here may replace a verdict."""
    if decided:
        connection.execute(table.insert(), [_row(one) for one in decided])


def _row(decided: Decided) -> Row:
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
    }


def read(row: RowMapping | Mapping[str, Any]) -> Verdict:
    """The verdict in a row."""
    return Verdict(
        action=VerdictAction(row["action"]),
        reason=Reason(row["reason"]),
        policy=row["policy"],
        rule_key=row["rule_key"],
        delay=timedelta(seconds=row["delay_seconds"]),
        not_before=row["not_before"],
        avoid_nodes=tuple(row["avoid_nodes"]),
        explanation=decode_explanation(row["explanation"]),
    )


def encode_explanation(explanation: Explanation) -> Any:  # noqa: ANN401 - JSON
    """An explanation as JSON: dicts, lists and scalars."""
    return msgspec.to_builtins(explanation)


def decode_explanation(document: Any) -> Explanation:  # noqa: ANN401 - JSON
    """The explanation in JSON; fields that later versions added are passed over, those they lack have defaults."""
    return msgspec.convert(document, Explanation)
