"""A database of each earlier revision is gone on with: its rows are those that the messages give today."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import inspect, text

from agent.core.failure import Failure
from agent.core.job_event import JobEvent, JobRequested, JobSubmitted, RequestKind
from agent.core.lifecycle.state import State
from agent.core.run_event import Amendment, RunPhase
from agent.lookout.store.entries import Entry
from agent.lookout.store.opening import HISTORY, open_store
from agent.lookout.store.recording import record
from agent.lookout.store.tables import metadata
from agent.store import migrate
from tests.lookout.store.databases import Contents, contents, stored
from tests.store.databases import rolled_back
from tests.store.earlier import earlier, insert_earlier
from tests.store.events import START, event, failed

EARLIER = [f"{number:04}" for number in range(1, int(migrate.head(HISTORY)))]
DAY = 86_400


def by_rules(revision: str) -> Failure:
    found = failed()
    return replace(found, classification=replace(found.classification, revision=revision))


def job_event(sequence: int, content: JobSubmitted | JobRequested, *, days: float) -> JobEvent:
    return JobEvent(
        event_id=f"j{sequence}",
        job_id="job-9",
        sequence=sequence,
        at=START + timedelta(days=days),
        event=content,
        state=State.QUEUED,
    )


SENT: Sequence[Entry] = (
    event("e1", RunPhase.RUNNING, run="run-1"),
    event("e2", by_rules("v1"), run="run-1", after=DAY),
    event("e3", Amendment(amends="e2", failure=by_rules("v2")), run="run-1", after=3 * DAY),
    event("e4", by_rules("v2"), run="run-2", job="job-2", after=DAY / 2 - 0.5),
    event("e5", RunPhase.PENDING, run="run-3", job="job-2"),
    job_event(1, JobSubmitted(name="train", client_id="c"), days=0),
    job_event(2, JobRequested(kind=RequestKind.CANCEL, by="ann", refused="it has ended"), days=8),
)
"""``e4`` is observed the day after it happened."""


def expected(folder: Path) -> Contents:
    with open_store(f"sqlite:///{folder}/expected.db") as store, rolled_back(store) as connection:
        return stored(connection, SENT)


@pytest.mark.parametrize("revision", EARLIER)
def test_rows_of_an_earlier_revision_are_those_of_today(database_url: str, tmp_path: Path, revision: str) -> None:
    rows = expected(tmp_path)
    with earlier(database_url, revision, HISTORY) as connection:
        for name, of_table in rows.items():
            if of_table and inspect(connection).has_table(name):
                insert_earlier(connection, metadata.tables[name], of_table)

    with open_store(database_url) as store:
        with store.read() as connection:
            assert contents(connection) == rows
        with store.write() as connection:
            record(connection, SENT)
            assert contents(connection) == rows


def test_postgres_compresses_documents_by_lz4(postgres_store: str) -> None:
    compressed = text(
        "SELECT attrelid::regclass || '.' || attname FROM pg_attribute WHERE attcompression = 'l' AND attnum > 0"
    )
    with open_store(postgres_store) as store, store.read() as connection:
        assert set(connection.scalars(compressed)) == {"run_failure.info", "run_log.tails"}
