"""Groups and facets count what a loop over all rows counts, from the rows and from the rollups."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.lookout.query import rollup_rows
from agent.lookout.query.columns import FAILURES, JOBS, LISTS, RUNS, List, Place
from agent.lookout.query.group_counts import facets, groups
from agent.lookout.query.groups import GroupQuestion
from agent.lookout.query.question import Question
from agent.lookout.query.reader import Reading
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.query.window import Base, Window
from agent.lookout.store import rollups
from agent.store.columns import Row
from agent.store.store import Store
from tests.lookout.query.drawn import START, conditions, jobs, put, questions, runs
from tests.lookout.query.naive import holds, listed
from tests.store.databases import rolled_back

LAW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
A_DAY = Window(START, START + timedelta(days=1))
TWO_DAYS = Window(START - timedelta(days=1), START + timedelta(days=1))

Key = tuple[Any, ...]


def counted(group: Mapping[str, Any], key: Key = ()) -> dict[Key, Any]:
    """What each group on each level counts, by the values that lead to it."""
    found = {key: (group["count"], group["failed"], dict(group["states"]), dict(group["origins"]))}
    for below in group["groups"]:
        found |= counted(below, (*key, below["value"]))
    return found


def expected(rows: Sequence[tuple[Key, Mapping[str, Any]]]) -> dict[Key, Any]:
    """The same, of rows with their values of all columns; each row says its state and, if it failed, its origin."""
    keys = {key[:length] for key, _ in rows for length in range(len(key) + 1)} | {()}
    return {key: _tally([row for found, row in rows if found[: len(key)] == key]) for key in keys}


def _tally(rows: Sequence[Mapping[str, Any]]) -> Any:  # noqa: ANN401 - as above
    origins = [row["origin"] for row in rows if row["origin"] is not None]
    states = Counter(row["state"] for row in rows if row["state"])
    return len(rows), len(origins), dict(states), dict(Counter(origins))


def whole(question: Question, window: Window) -> Question:
    return replace(question, since=window.since, until=window.until)


def group_question(question: Question, by: Sequence[str], window: Window) -> GroupQuestion:
    return GroupQuestion(of=question.of, by=tuple(by), conditions=question.conditions, window=window, limit=500)


def latest_failure(job_id: str, of_runs: Sequence[Row]) -> Row | None:
    failed = [row for row in of_runs if row["job_id"] == job_id and row["failure_id"] and row["failed_at"] >= START]
    return max(failed, key=lambda row: (row["first_at"], row["run_id"]), default=None)


def rows_of(question: Question, by: Sequence[str], of_jobs: list[Row], of_runs: list[Row]) -> list[tuple[Key, Row]]:
    """The rows of the list with what they are grouped by."""
    ids = listed(whole(question, A_DAY), of_jobs, of_runs)
    columns = [question.of.named(name) for name in by]
    if question.of is not JOBS:
        fitting = [row for row in of_runs if row["run_id"] in ids]
        return [(tuple(row[column.field] for column in columns), _of_run(row)) for row in fitting]
    found = []
    for job in of_jobs:
        if job["job_id"] in ids:
            latest = latest_failure(job["job_id"], of_runs)
            places: dict[Place, Any] = {Place.JOB: job, Place.RUN: latest or {}}
            key = tuple(places[column.place].get(column.field) for column in columns)
            found.append((key, {"state": job["state"], "origin": latest and latest["origin"]}))
    return found


def _of_run(row: Row) -> Row:
    return {"state": row["state"], "origin": row["origin"] if row["failure_id"] else None}


@pytest.mark.parametrize("name", LISTS)
@LAW
@given(data=st.data(), of_jobs=jobs(), of_runs=runs())
def test_groups_of_rows(
    database: Store, name: str, data: st.DataObject, of_jobs: list[Row], of_runs: list[Row]
) -> None:
    of = LISTS[name]
    question = data.draw(questions(of))
    by = data.draw(st.lists(st.sampled_from(of.groups), min_size=1, max_size=3, unique=True))
    asked = group_question(question, by, A_DAY)

    with rolled_back(database) as connection:
        put(connection, of_jobs, of_runs)
        found = groups(Reading(connection, EVERYTHING, 10), asked)

    assert asked.base is Base.ROWS
    assert counted(found) == expected(rows_of(question, by, of_jobs, of_runs))


@pytest.mark.parametrize("of", [RUNS, FAILURES], ids=lambda of: str(of.name))
@LAW
@given(data=st.data(), of_runs=runs())
def test_groups_of_rollups(database: Store, of: List, data: st.DataObject, of_runs: list[Row]) -> None:
    drawn = data.draw(conditions(of))
    fitting = tuple(condition for condition in drawn if rollup_rows.answers([condition.column.field], [condition]))
    by = data.draw(st.lists(st.sampled_from(rollup_rows.COLUMNS), min_size=1, max_size=2, unique=True))
    asked = GroupQuestion(of=of, by=tuple(by), conditions=fitting, window=TWO_DAYS, limit=500)
    ended = [row for row in of_runs if row["hour"] is not None and (row["failure_id"] or of is RUNS)]
    rows = [row for row in ended if all(holds(condition, row) for condition in fitting)]

    with rolled_back(database) as connection:
        put(connection, [], of_runs)
        rollups.rebuild(connection)
        found = groups(Reading(connection, EVERYTHING, 10), asked)

    assert asked.base is Base.ROLLUPS
    assert counted(found) == expected([(tuple(row[name] for name in by), _of_run(row)) for row in rows])


@LAW
@given(data=st.data(), of_runs=runs())
def test_facets_leave_the_condition_on_their_own_column_out(
    database: Store, data: st.DataObject, of_runs: list[Row]
) -> None:
    question = data.draw(questions(RUNS))
    of = data.draw(st.lists(st.sampled_from(RUNS.groups), min_size=1, max_size=2, unique=True))

    with rolled_back(database) as connection:
        put(connection, [], of_runs)
        found = facets(Reading(connection, EVERYTHING, 10), group_question(question, of, A_DAY))["facets"]

    for name in of:
        others = tuple(condition for condition in question.conditions if condition.column.name != name)
        rows = rows_of(replace(question, conditions=others), [name], [], of_runs)
        values = {value["value"]: value["count"] for value in found[name]["values"]}
        assert values == Counter(key[0] for key, _ in rows)
