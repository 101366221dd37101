"""Lists in the order of a column, page by page, as if all of them were sorted in memory."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec import structs

from agent.store.records.columns import COLUMNS, TIME, list_of, read_sort
from agent.store.records.filters import AnyFilter, BadQuestion, JobFilter, Part, RunFilter
from agent.store.records.port import AnyRecord, JobRecord
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from tests.store.events import START
from tests.store.records.test_lists import LISTS, everything, fill
from tests.store.submitted.made import new_job, submit

NUMBERS = {"exit_code", "attempt"}


def in_order(records: list[AnyRecord], wanted: AnyFilter, sort: str) -> list[AnyRecord]:
    """The records sorted here; one without a value is before all others."""
    _, at, key = LISTS[type(wanted)]
    name = sort.removeprefix("-")

    def place(record: AnyRecord) -> tuple[Any, ...]:
        time = getattr(record, at), getattr(record, key)
        if name == TIME:
            return time
        value = getattr(record, name)
        return (-1 if value is None else value, *time) if name in NUMBERS else (value or "", *time)

    return sorted(records, key=place, reverse=sort.startswith("-"))


@pytest.mark.parametrize("wanted", LISTS)
def test_every_column_sorts_a_list_page_by_page(store: Store, wanted: type[AnyFilter]) -> None:
    fill(store)
    with store.write() as connection:
        submit(connection, *(new_job(f"new-{number}", queue=f"q{number}", submitted_at=START) for number in range(3)))
    records = StoredRecords(store)
    everyone = everything(records, wanted(), Part())

    for name in (TIME, *COLUMNS[list_of(wanted())]):
        for sort in (name, f"-{name}"):
            found = everything(records, wanted(), Part(limit=7, sort=sort))
            assert found == in_order(everyone, wanted(), sort), sort


def test_filters_and_times_hold_in_every_order(store: Store) -> None:
    fill(store)
    records, part = StoredRecords(store), Part(since=START + timedelta(seconds=5), limit=3)
    plain = everything(records, JobFilter(queue="q1"), part)

    assert len(plain) > 5
    for sort in ("state", "-node"):
        sorted_too = everything(records, JobFilter(queue="q1"), structs.replace(part, sort=sort))
        assert sorted_too == in_order(plain, JobFilter(), sort)


def test_a_cursor_fits_one_order(store: Store) -> None:
    fill(store)
    after = StoredRecords(store).runs(RunFilter(), Part(limit=2, sort="node")).after
    assert after is not None

    assert len(StoredRecords(store).runs(RunFilter(), Part(limit=2, sort="node", after=after)).records) == 2
    for sort in (None, "-node", "queue"):
        with pytest.raises(BadQuestion, match="another question"):
            StoredRecords(store).runs(RunFilter(), Part(limit=2, sort=sort, after=after))


def test_texts_are_sorted_by_their_bytes_on_every_database(store: Store) -> None:
    names = ["b", "B", "a", "é", "A-1", "_"]
    with store.write() as connection:
        submit(connection, *(new_job(f"job-{name}", queue=name) for name in names))

    found = everything(StoredRecords(store), JobFilter(), Part(sort="queue"))

    assert [record.queue for record in found if isinstance(record, JobRecord)] == sorted(names)


@pytest.mark.parametrize(("text", "sort"), [("node", "node"), ("-exit-code", "-exit_code"), ("time", "time")])
def test_a_column_is_written_as_options_are(text: str, sort: str) -> None:
    assert read_sort("failures", text) == sort


@pytest.mark.parametrize("text", ["", "-", "--node", "colour", "state", "node,queue"])
def test_a_column_that_a_list_does_not_have_is_refused_with_those_it_has(text: str) -> None:
    with pytest.raises(BadQuestion, match=r"runs are sorted by time, phase, .*, node or attempt, with - before it"):
        read_sort("runs", text)
