"""Many ids at once, whatever they contain."""

from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from agent.lookout.query.ids import is_among
from agent.lookout.query.reader import Reading
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.store.tables import run_table
from agent.store.store import Store
from tests.lookout.query.drawn import START, TEXTS, put
from tests.store.databases import rolled_back

IDS: Final = [*TEXTS, "", "a,b", "{a}", "NULL", "null", "'", '"', '["a"]', "\\u0061", "1"]
EVERY_TIME: Final = {"first_at": START, "last_day": START}

FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FEW
@given(asked=st.lists(st.sampled_from([*IDS, "not there"])))
def test_ids_are_found_whatever_they_contain(database: Store, asked: list[str]) -> None:
    with rolled_back(database) as connection:
        put(connection, [], [run(run_id) for run_id in IDS])
        reading = Reading(connection, EVERYTHING, 10)
        query = select(run_table.c.run_id).where(is_among(run_table.c.run_id, "asked", reading.dialect))
        found = reading.rows(query, asked=asked)

    assert sorted(row["run_id"] for row in found) == sorted(set(asked) & set(IDS))


def run(run_id: str) -> dict[str, object]:
    """A row of a run of which nothing is known but its id."""
    unknown = {column.name: None if column.nullable else "" for column in run_table.columns}
    return {**unknown, **EVERY_TIME, "run_id": run_id, "sanitized": [], "categories": []}
