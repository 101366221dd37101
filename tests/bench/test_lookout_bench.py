"""The benchmark of Lookout: its histories are whole, it measures tables, and its targets can be missed."""

from collections import Counter
from pathlib import Path

import pytest

from agent.core.failure import Failure
from agent.core.run_event import RunEvent
from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from agent.lookout.store.tables import metadata
from bench.consume import Figure
from bench.lookout import LEAST_FAILURES, Found, table, verdicts
from bench.peer.ingesting import Ingested
from bench.peer.places import Database
from bench.report.size import Size, sizes
from bench.sample.histories import events_of
from tests.lookout.store.databases import contents
from tests.store.events import failed

RUNS = 500


def ingested(per_second: float, *, now_mb: float = 100.0) -> Ingested:
    return Ingested(messages=1000, seconds=1000 / per_second, cpu_seconds=1.0, peak_mb=now_mb, now_mb=now_mb)


def found(*, failures: float = LEAST_FAILURES * 2, scheduler: float = 1000.0, now_mb: float = 100.0) -> Found:
    return Found(
        filling=[ingested(5000), ingested(5000, now_mb=now_mb)],
        full=ingested(failures),
        new={"failures": ingested(failures)},
        scheduler={"failures": Figure(per_second=scheduler, cpu_per_1000=1.0)},
        sizes={"job_run": Size(rows=1000, table=1_000_000, indexes=2_000_000)},
    )


@pytest.mark.slow
def test_so_many_runs_end_and_so_many_of_them_fail(tmp_path: Path) -> None:
    events = list(events_of(RUNS, [failed()]))
    with open_store(f"sqlite:///{tmp_path}/lookout.db") as store, store.write() as connection:
        record(connection, events)
        rows = contents(connection)
        measured = sizes(connection, metadata)

    states = Counter(row["state"] for row in rows["job_run"])
    assert states == {"succeeded": RUNS * 76 // 100, "failed": RUNS * 24 // 100}
    assert len(rows["retry_decision"]) == states["failed"]
    assert Counter(row["state"] for row in rows["job"]) == {None: 200, "succeeded": 180, "failed": 20}
    assert measured["job_run"].rows == RUNS
    assert measured["job_run"].table > 0 < measured["job_run"].indexes


def test_events_come_in_the_order_of_time() -> None:
    events = list(events_of(RUNS, [failed()]))
    times = [event.occurred_at if isinstance(event, RunEvent) else event.at for event in events]

    assert times == sorted(times)
    assert sum(isinstance(event.event, Failure) for event in events) == RUNS * 24 // 100


@pytest.mark.parametrize(
    ("figures", "missed"),
    [
        (found(), []),
        (found(failures=LEAST_FAILURES / 2), ["failures -> full sqlite"]),
        (found(scheduler=LEAST_FAILURES * 3), ["failures -> sqlite, beside the scheduler"]),
        (found(now_mb=200.0), ["memory, sqlite, beside that after a tenth"]),
        (found(now_mb=500.0), ["memory, sqlite", "memory, sqlite, beside that after a tenth"]),
    ],
)
def test_a_target_is_met_or_missed(figures: Found, missed: list[str]) -> None:
    held = verdicts({Database.SQLITE: figures})

    assert [figure.name for figure in held if figure.share < 1] == missed
    assert "3,000 bytes a run" in "\n".join(table({Database.SQLITE: figures}, runs=1000))
