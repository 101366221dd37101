"""The rows of runs and jobs as lists show them, brought up to date with what was decided."""

from collections.abc import Sequence

from sqlalchemy import Connection

from agent.store import jobs, runs
from agent.store.failures import Arrival
from agent.store.runs import ReceivedEvent, Recorded
from agent.store.verdicts import NewVerdict


def summarize(
    connection: Connection,
    reports: Sequence[ReceivedEvent],
    *,
    arrivals: Sequence[Arrival],
    decided: Sequence[NewVerdict],
) -> Recorded:
    """Merge what happened, in the transaction that stored failures and verdicts."""
    recorded = runs.record(connection, reports)
    jobs.record(
        connection,
        recorded.rows,
        began=recorded.began,
        events=[report.event for report in reports],
        arrivals=arrivals,
        decided=decided,
    )
    return recorded
