"""What pruning should leave, as docs/lookout.md says it, without SQL."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import Connection

from agent.lookout.store import horizon, rollups
from agent.lookout.store.pruning import Bounds, Past, prune
from agent.lookout.store.rollups import Counts
from agent.store.columns import Row
from agent.store.store import Store
from tests.lookout.store.databases import Contents, contents
from tests.store.events import START

SMALL = Bounds(batch=1, kept_runs=1)


def past(days: float, *, logs: float | None = None) -> Past:
    """What is past as many days after START."""
    rest = START + timedelta(days=days)
    return Past(logs=rest if logs is None else START + timedelta(days=logs), rest=rest)


def everything(database: Store) -> Contents:
    with database.read() as connection:
        return contents(connection)


def deleted(database: Store, given: Past, bounds: Bounds = SMALL) -> dict[str, int]:
    """How many rows pruning deletes, by table."""
    found: dict[str, int] = {}
    for step in prune(database, given, bounds):
        for table, number in step.items():
            found[table] = found.get(table, 0) + number
    return {table: number for table, number in found.items() if number}


def left(before: Contents, given: Past, bounds: Bounds) -> Contents:
    """The rows that are left of these."""
    jobs = {row["job_id"] for row in before["job"] if row["last_day"] >= given.day}
    runs = {name for job in jobs for name in _runs_left(before["job_run"], job, given, bounds)}
    going = {row["run_id"] for row in before["job_run"] if row["hour"] is None}
    failures = [
        row
        for row in _where(before["run_failure"], "run_id", runs)
        if row["run_id"] not in going or max(row["occurred_at"], row["observed_at"]) >= given.day
    ]
    clusters = [row for row in before["cluster"] if _last_heard(row) >= given.rest]
    return {
        **before,
        **{name: _where(before[name], "job_id", jobs) for name in ("job", "job_request")},
        **{name: _where(before[name], "run_id", runs) for name in ("job_run", "run_category", "retry_decision")},
        "run_failure": failures,
        "run_log": [
            row
            for row in _where(before["run_log"], "event_id", {row["event_id"] for row in failures})
            if row["occurred_at"] >= given.logs
        ],
        "cluster": clusters,
        "rule": _where(before["rule"], "revision", {row["rules_revision"] for row in (*clusters, *failures)}),
    }


def _where(rows: Iterable[Row], column: str, values: set[str]) -> list[Row]:
    return [row for row in rows if row[column] in values]


def _runs_left(runs: Iterable[Row], job: str, given: Past, bounds: Bounds) -> set[str]:
    of_job = _where(runs, "job_id", {job})
    latest_first = sorted(of_job, key=lambda row: (row["last_day"], row["first_at"]), reverse=True)
    kept = latest_first[: bounds.kept_runs]
    return {row["run_id"] for row in of_job if row in kept or row["last_day"] >= given.day}


def _last_heard(cluster: Row) -> datetime:
    times: list[datetime] = [cluster[name] for name in ("sent_at", "rules_loaded_at") if cluster[name] is not None]
    return max(times)


def without(rows: Contents, *tables: str) -> Contents:
    return {name: of_table for name, of_table in rows.items() if name not in tables}


def counts(connection: Connection) -> tuple[Counts, Counts]:
    """The counts of what ended before the horizon, which are final, and of what ended since."""
    since = horizon.read(connection)
    both = _all(rollups.stored(connection))
    final = {key: value for key, value in both.items() if since is not None and key[1] < since}
    return final, {key: value for key, value in both.items() if key not in final}


def recount(connection: Connection) -> Counts:
    """The counts since the horizon, as the rows give them."""
    return _all(rollups.recount(connection))


def _all(of_rollups: tuple[Counts, ...]) -> Counts:
    """The counts of all rollups; the second value of each key is its time."""
    return {(place, *key): value for place, counts in enumerate(of_rollups) for key, value in counts.items()}
