"""Counts of records by columns, as if all of them were counted in memory."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest

from agent.core.failure import Origin
from agent.store.records import counting
from agent.store.records.columns import COLUMNS, list_of, read_groups
from agent.store.records.filters import AnyFilter, BadQuestion, FailureFilter, JobFilter, Part, VerdictFilter
from agent.store.records.groups import Group, Value, nested
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from tests.store.events import START
from tests.store.records.test_lists import DETAILS, LISTS, everything, fill
from tests.store.submitted.made import new_job, submit

MANY = Part(limit=1_000)


def flat(groups: tuple[Group, ...]) -> Iterator[tuple[tuple[Value, ...], int]]:
    """The groups on the lowest level, with the values of all columns."""
    for group in groups:
        if group.groups:
            yield from (((group.value, *values), count) for values, count in flat(group.groups))
        else:
            yield (group.value,), group.count


@pytest.fixture
def filled(store: Store) -> StoredRecords:
    fill(store)
    with store.write() as connection:
        submit(connection, *(new_job(f"new-{number}", queue="q1", submitted_at=START) for number in range(3)))
    return StoredRecords(store)


@pytest.mark.parametrize("wanted", LISTS)
def test_every_column_can_be_counted(filled: StoredRecords, wanted: type[AnyFilter]) -> None:
    records = everything(filled, wanted(), Part())

    for name in COLUMNS[list_of(wanted())]:
        found = filled.counts(wanted(), (name,), MANY)
        expected = Counter(getattr(record, name) or None for record in records)
        assert {group.value: group.count for group in found.groups} == expected, name
        assert (found.count, found.base, found.left_out) == (len(records), "rows", 0)


def test_columns_are_nested_the_most_frequent_first(filled: StoredRecords) -> None:
    by = ("category", "node", "origin")
    records = everything(filled, FailureFilter(), Part())

    found = filled.counts(FailureFilter(), by, MANY)

    expected = Counter(tuple(getattr(record, name) or None for name in by) for record in records)
    assert dict(flat(found.groups)) == expected
    assert [group.count for group in found.groups] == sorted((group.count for group in found.groups), reverse=True)
    for group in found.groups:
        assert sum(below.count for below in group.groups) == group.count


@pytest.mark.parametrize(
    "wanted",
    [
        FailureFilter(origin=Origin.INFRA),
        FailureFilter(detail=DETAILS),
        FailureFilter(detail=DETAILS, node="node-1"),
        VerdictFilter(queue="q1", exit_code=137),
        JobFilter(queue="q1", node="node-1"),
        JobFilter(owner="ann"),
    ],
)
def test_filters_and_times_hold(filled: StoredRecords, wanted: AnyFilter) -> None:
    since, until = START + timedelta(seconds=1), START + timedelta(seconds=20)
    for part in (Part(), Part(since=since, until=until, limit=9), Part(until=until)):
        found = filled.counts(wanted, ("queue", "node"), part)
        assert found.count == len(everything(filled, wanted, part))
        assert (found.since, found.until) == (part.since, part.until)


def test_numbers_are_of_all_though_few_groups_are_listed() -> None:
    rows = [((f"node-{number:02}", "a"), number) for number in range(1, 21)]

    found = nested(rows, ("node", "queue"), limit=3, since=None, until=None)

    assert [group.value for group in found.groups] == ["node-20", "node-19", "node-18"]
    assert (found.count, found.left_out) == (210, 17)


def test_nothing_is_counted_as_nothing(store: Store) -> None:
    found = StoredRecords(store).counts(JobFilter(), ("owner", "category"))

    assert (found.count, found.groups) == (0, ())


def test_very_many_values_are_refused(filled: StoredRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST", 3)
    with pytest.raises(BadQuestion, match=r"more than 3 different values together; write fewer columns"):
        filled.counts(FailureFilter(), ("category", "node"))


def test_columns_are_written_as_options_are() -> None:
    assert read_groups("failures", "exit-code, job-set") == ("exit_code", "job_set")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'': jobs are counted by state, category, .*, namespace or node"),
        ("category,colour", "'colour': jobs are counted by state"),
        ("node,node", "write each column once"),
        ("node,queue,state,category,grade", "and at most 4 of them"),
    ],
)
def test_columns_that_cannot_be_are_refused(text: str, said: str) -> None:
    with pytest.raises(BadQuestion, match=said):
        read_groups("jobs", text)
