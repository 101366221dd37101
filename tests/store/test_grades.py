"""A stored failure has the grade of its advice, and its job that of what was decided last."""

from pathlib import Path

from msgspec import structs
from sqlalchemy import select

from agent.core.failure import Failure, Grade
from agent.core.run_event import Amendment
from agent.store.records.filters import FailureFilter, JobFilter, VerdictFilter
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from agent.store.tables.failures import table as failure_table
from agent.store.tables.jobs import table as job_table
from agent.store.tables.runs import table as run_table
from agent.store.tables.verdicts import table as verdict_table
from tests.store.databases import new_store
from tests.store.earlier import earlier, insert_earlier
from tests.store.events import event, failed
from tests.store.test_jobs import tell
from tests.store.test_rows import FAIL, RETRY

TABLES = (run_table, failure_table, verdict_table, job_table)


def graded(grade: Grade | None) -> Failure:
    found = failed()
    return structs.replace(found, classification=structs.replace(found.classification, grade=grade))


def grades(store: Store) -> dict[str, list[Grade | None]]:
    """The grades of every list, the newest record first."""
    records = StoredRecords(store)
    return {
        "failures": [record.grade for record in records.failures(FailureFilter()).records],
        "verdicts": [record.grade for record in records.verdicts(VerdictFilter()).records],
        "jobs": [record.grade for record in records.jobs(JobFilter()).records],
    }


def test_every_record_has_the_grade_of_its_failure_and_a_job_that_of_the_last_decision(store: Store) -> None:
    tell(store, [event("a", graded(Grade.LIKELY), run="a", after=1)], {"a": RETRY})
    tell(store, [event("b", graded(Grade.PROVEN), run="b", after=2)], {"b": FAIL})
    tell(store, [event("c", graded(None), run="c", job="job-2", after=3)], {"c": FAIL})

    assert grades(store) == {
        "failures": [None, Grade.PROVEN, Grade.LIKELY],
        "verdicts": [None, Grade.PROVEN, Grade.LIKELY],
        "jobs": [None, Grade.PROVEN],
    }


def test_an_amendment_gives_the_job_its_grade(store: Store) -> None:
    late = event("late", Amendment(amends="a", failure=graded(Grade.PROVEN)), run="a", after=2)
    tell(store, [event("a", graded(Grade.UNKNOWN), run="a", after=1), late], {"a": FAIL})

    assert grades(store) == {
        "failures": [Grade.PROVEN, Grade.UNKNOWN],
        "verdicts": [Grade.UNKNOWN],
        "jobs": [Grade.PROVEN],
    }


def test_what_the_revision_before_stored_has_no_grade_until_something_newer_is_decided(
    store_url: str, tmp_path: Path
) -> None:
    made_in = tmp_path / "made"
    made_in.mkdir()
    with Store.open(new_store(made_in)) as made:
        tell(made, [event("a", graded(Grade.PROVEN), run="a", after=1)], {"a": RETRY})
        with made.read() as connection:
            before = {table: [dict(row) for row in connection.execute(select(table)).mappings()] for table in TABLES}
    with earlier(store_url, "0012") as connection:
        for table, rows in before.items():
            insert_earlier(connection, table, rows)

    with Store.open(store_url) as store:
        assert grades(store) == {"failures": [None], "verdicts": [None], "jobs": [None]}
        for grade in Grade:
            assert StoredRecords(store).failures(FailureFilter(grade=grade)).records == ()
            assert StoredRecords(store).jobs(JobFilter(grade=grade)).records == ()

        tell(store, [event("b", graded(Grade.LIKELY), run="b", after=2)], {"b": FAIL})
        assert grades(store)["jobs"] == [Grade.LIKELY]
