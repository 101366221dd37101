"""A store of many runs, about a quarter of which failed, written past the code that consumes: in seconds."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, select, text, update

from agent.store.columns import Row
from agent.store.insert import insert as insert_rows
from agent.store.store import Store
from agent.store.tables import failures, jobs, runs, verdicts

SEED: Final = 20260101
_START: Final = datetime(2026, 1, 3, tzinfo=UTC)
_AT_ONCE: Final = 5_000
_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_QUEUES, _NODES, _CLUSTERS, _NAMESPACES, _CATEGORIES = 40, 2_000, 12, 200, 30
_EXIT_CODES: Final = (1, 1, 1, 1, 2, 127, 134, 137, 137, 137, 139, 143)
_ORIGINS: Final = ("user", "user", "user", "infra", "infra", "platform", "unknown")
_GRADES: Final = ("proven", "proven", "likely", "likely", "unknown", None)
_RESOURCES: Final = ("cpu", "memory", "nvidia.com/gpu")
_FINGERPRINTS, _CLAIMS = 5_000, 300
_TABLES: Final = (runs.table, failures.table, failures.detail_table, verdicts.table, jobs.table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Values to ask for that are in the store, common ones and rare ones, by the name of a filter."""

    jobs: Sequence[str]
    runs: Sequence[str]
    pods: Sequence[str]
    namespaces: Mapping[str, str]
    values: Mapping[str, Sequence[Any]]

    def namespace_of(self, pod: str) -> str:
        return self.namespaces[pod]


def fill(store: Store, number: int, *, progress: Callable[[str], None]) -> Sample:
    """Write so many runs, their failures, verdicts and jobs; indexes are made last, which is quicker."""
    there: list[Row] = []
    with store.write() as connection:
        for table in _TABLES:
            for index in table.indexes:
                index.drop(connection)
    batches = _batches(number)
    for at, batch in enumerate(batches):
        with store.write() as connection:
            for table, rows in batch.items():
                insert_rows(connection, table, rows)
        there += batch[runs.table][:: max(_AT_ONCE // 10, 1)]
        if at % 20 == 19:
            progress(f"{(at + 1) * _AT_ONCE:,} of {number:,} runs")
    with store.write() as connection:
        _finish(connection, progress)
    return _sample(there)


def _finish(connection: Connection, progress: Callable[[str], None]) -> None:
    progress("jobs")
    migration = import_module("agent.store.migrations.versions.0004_jobs")
    connection.execute(delete(jobs.table))
    if connection.dialect.name == "sqlite":
        driver: Any = connection.connection.driver_connection
        driver.create_function("reverse", 1, lambda given: given[::-1], deterministic=True)
    connection.execute(text(migration.FILL))
    graded = select(failures.table.c.grade).where(failures.table.c.event_id == jobs.table.c.decided_event)
    connection.execute(update(jobs.table).values(grade=graded.scalar_subquery()))
    progress("indexes")
    for table in _TABLES:
        for index in table.indexes:
            index.create(connection)
    if connection.dialect.name == "postgresql":
        connection.execute(text("ANALYZE"))


def _batches(number: int) -> Iterator[dict[Table, list[Row]]]:
    rng = random.Random(SEED)
    rows = _runs(number, rng)
    while batch := list(islice(rows, _AT_ONCE)):
        yield {
            runs.table: [ran for ran, _, _ in batch],
            failures.table: [failed for _, failed, _ in batch if failed is not None],
            failures.detail_table: [
                detail for _, failed, _ in batch if failed is not None for detail in _details(failed, rng)
            ],
            verdicts.table: [verdict for _, _, verdict in batch if verdict is not None],
        }


def _runs(number: int, rng: random.Random) -> Iterator[tuple[Row, Row | None, Row | None]]:
    """Runs in order of time, each with its failure and verdict, if any; every fourth job is tried twice."""
    job, left = 0, number
    while left > 0:
        tries = 2 if job % 4 == 3 else 1
        job_id = f"01jd{job:08d}" + "".join(rng.choices(_LETTERS, k=14))
        place = _place(job, rng)
        for attempt in range(min(tries, left)):
            last = attempt == tries - 1
            phase = _phase(job, last=last)
            row = _run(
                job_id, attempt, place, at=_START + timedelta(seconds=10 * job + 60 * attempt), phase=phase, rng=rng
            )
            yield row, *(_failure(row, last=last, rng=rng) if phase == "failed" else (None, None))
        job, left = job + 1, left - tries


def _phase(job: int, *, last: bool) -> str:
    if not last or job % 8 == 1 or job % 12 == 3:
        return "failed"
    return "running" if job % 50 == 0 else "succeeded"


def _place(job: int, rng: random.Random) -> Row:
    queue = min(int(rng.expovariate(0.15)), _QUEUES - 1)
    return {
        "job_set": f"set-{job // 200}",
        "queue": f"queue-{queue}",
        "gang_id": "",
        "namespace": f"ns-{(queue * 5 + rng.randrange(5)) % _NAMESPACES}",
    }


def _run(job_id: str, attempt: int, place: Row, *, at: datetime, phase: str, rng: random.Random) -> Row:
    run_id = f"{rng.getrandbits(128):032x}"
    cluster = min(int(rng.expovariate(0.5)), _CLUSTERS - 1)
    return {
        **place,
        "run_id": run_id,
        "job_id": job_id,
        "attempt": attempt,
        "cluster_id": f"{cluster:036x}",
        "cluster": f"cluster-{cluster}",
        "pod_name": f"armada-{job_id}-0",
        "pod_uid": run_id,
        "node": f"node-{rng.randrange(_NODES)}",
        "phase": phase,
        "phase_at": at + timedelta(seconds=45),
        "first_occurred_at": at,
        "spool_id": "spool",
        "spool_sequence": 1,
        "reversed_id": run_id[::-1],
    }


def _failure(run: Row, *, last: bool, rng: random.Random) -> tuple[Row, Row | None]:
    event_id, at = f"{rng.getrandbits(256):064x}", run["phase_at"]
    identity = ("run_id", "job_id", "job_set", "queue", "gang_id", "attempt", "cluster_id", "cluster", "namespace")
    failed = {
        **{name: run[name] for name in (*identity, "pod_name", "pod_uid", "node")},
        "event_id": event_id,
        "occurrence": "pod-failed",
        "amends": None,
        "category": f"category-{min(int(rng.expovariate(0.2)), _CATEGORIES - 1)}",
        "subcategory": rng.choice(("", "limit", "node")),
        "origin": rng.choice(_ORIGINS),
        "grade": rng.choice(_GRADES),
        "advice": None,
        "matched": True,
        "rules_revision": "0123456789abcdef",
        "exit_code": rng.choice(_EXIT_CODES),
        "signal": None,
        "container": rng.choice(("main", "main", "main", "sidecar")),
        "termination_reason": "Error",
        "user_code_ran": True,
        "fingerprint": f"v1:{min(int(rng.expovariate(0.002)), _FINGERPRINTS - 1):016x}",
        "key_line": "RuntimeError: CUDA error: an illegal memory access was encountered",
        "occurred_at": at,
        "observed_at": at,
        "stored_at": at,
    }
    decided = {
        "run_id": run["run_id"],
        "job_id": run["job_id"],
        "event_id": event_id,
        "action": "fail" if last and rng.random() > 0.001 else "retry",
        "reason": "rule",
        "policy": "default",
        "rule_key": "default/oom",
        "delay_seconds": 0.0,
        "not_before": at,
        "avoid_nodes": [],
        "decided_at": at,
        "explanation": {"action": "retry", "reason": "rule", "notes": "n" * 600},
        "charge": None,
        "undisturbed": True,
        "backoff_base": 0,
        "shadow_key": None,
    }
    return failed, decided


def _details(failed: Row, rng: random.Random) -> Iterator[Row]:
    """Every second failure has some: a resource that many have, and a claim that few have."""
    values = {"resource": rng.choice(_RESOURCES), "claim": f"claim-{rng.randrange(_CLAIMS)}"}
    if rng.random() < 0.5:
        own = {"event_id": failed["event_id"], "occurred_at": failed["occurred_at"]}
        yield from ({**own, "key": key, "value": value} for key, value in values.items())


def _sample(there: Sequence[Row]) -> Sample:
    chosen = there[:: max(len(there) // 9, 1)]
    return Sample(
        jobs=[row["job_id"] for row in chosen],
        runs=[row["run_id"] for row in chosen],
        pods=[row["pod_name"] for row in chosen],
        namespaces={row["pod_name"]: row["namespace"] for row in chosen},
        values={
            "queue": ("queue-0", "queue-3", "queue-39"),
            "job_set": [row["job_set"] for row in chosen],
            "owner": ("ann",),
            "cluster": ("cluster-0", "cluster-3", "cluster-11"),
            "namespace": ("ns-0", "ns-20", "ns-199"),
            "node": [row["node"] for row in chosen],
            "category": ("category-0", "category-5", "category-29"),
            "exit_code": (137, 2, 42),
            "container": ("main", "sidecar", "none"),
            "origin": (),
            "grade": (),
            "fingerprint": (f"v1:{0:016x}", f"v1:{500:016x}", f"v1:{_FINGERPRINTS:016x}"),
            "detail": ("resource=cpu", "claim=claim-7", "claim=none", "rank=7"),
        },
    )
