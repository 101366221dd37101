"""Stored failures say whether their blame is corroborated, and jobs whether that of what was decided last is."""

from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs
from sqlalchemy import Table, inspect, select

from agent.core.failure import Failure, Origin
from agent.core.run_event import Amendment
from agent.store.columns import Row
from agent.store.records.filters import FailureFilter, JobFilter, VerdictFilter
from agent.store.records.port import AnyRecord
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from agent.store.tables.failures import info_table
from agent.store.tables.failures import table as failure_table
from agent.store.tables.jobs import table as job_table
from agent.store.tables.runs import table as run_table
from agent.store.tables.verdicts import table as verdict_table
from tests.store.databases import new_store
from tests.store.earlier import earlier, insert_earlier
from tests.store.events import event, failed
from tests.store.test_jobs import tell
from tests.store.test_rows import FAIL, RETRY

TABLES: Final = (run_table, failure_table, info_table, verdict_table, job_table)
EARLIER: Final = [f"{number:04}" for number in range(1, 16)]
"""The revisions whose failures do not say it."""


def blamed(*, corroborated: bool | None) -> Failure:
    found = failed()
    given = structs.replace(found.classification, origin=Origin.INFRA, corroborated=corroborated)
    return structs.replace(found, classification=given)


def listed(store: Store) -> dict[str, list[AnyRecord]]:
    """Every list in which failures are, the newest record first."""
    records = StoredRecords(store)
    return {
        "failures": list(records.failures(FailureFilter()).records),
        "verdicts": list(records.verdicts(VerdictFilter()).records),
        "jobs": list(records.jobs(JobFilter()).records),
    }


def corroborated(store: Store) -> dict[str, list[bool | None]]:
    def of(record: Any) -> bool | None:  # noqa: ANN401 - of any kind that a failure is in
        found: bool | None = record.corroborated
        return found

    return {kind: list(map(of, records)) for kind, records in listed(store).items()}


def test_every_record_has_it_of_its_failure_and_a_job_of_the_last_decision(store: Store) -> None:
    tell(store, [event("a", blamed(corroborated=True), run="a", after=1)], {"a": RETRY})
    tell(store, [event("b", blamed(corroborated=False), run="b", after=2)], {"b": FAIL})
    tell(store, [event("c", blamed(corroborated=None), run="c", job="job-2", after=3)], {"c": FAIL})

    assert corroborated(store) == {
        "failures": [None, False, True],
        "verdicts": [None, False, True],
        "jobs": [None, False],
    }


def test_an_amendment_gives_it_to_the_job(store: Store) -> None:
    late = event("late", Amendment(amends="a", failure=blamed(corroborated=True)), run="a", after=2)
    tell(store, [event("a", blamed(corroborated=False), run="a", after=1), late], {"a": FAIL})

    assert corroborated(store) == {"failures": [True, False], "verdicts": [False], "jobs": [True]}


def made(folder: Path) -> tuple[dict[Table, list[Row]], dict[str, list[AnyRecord]]]:
    """The rows of a store of today with two failures, and its lists."""
    folder.mkdir()
    with Store.open(new_store(folder)) as store:
        tell(store, [event("a", blamed(corroborated=False), run="a", after=1)], {"a": RETRY})
        tell(store, [event("b", blamed(corroborated=True), run="b", job="job-2", after=2)], {"b": FAIL})
        with store.read() as connection:
            rows = {table: list(map(dict, connection.execute(select(table)).mappings())) for table in TABLES}
        return rows, listed(store)


@pytest.mark.parametrize("revision", EARLIER)
def test_of_what_an_earlier_revision_stored_it_is_not_known_and_nothing_else_changes(
    store_url: str, tmp_path: Path, revision: str
) -> None:
    rows, today = made(tmp_path / "made")
    with earlier(store_url, revision) as connection:
        for table, of_table in rows.items():
            if inspect(connection).has_table(table.name):
                insert_earlier(connection, table, of_table)

    with Store.open(store_url) as store:
        assert listed(store) == {
            kind: [structs.replace(record, corroborated=None) for record in records] for kind, records in today.items()
        }
        tell(store, [event("c", blamed(corroborated=False), run="c", after=3)], {"c": FAIL})
        assert corroborated(store)["jobs"] == [False, None]
