"""Whatever messages come, in whatever order and however often, and whenever is pruned between them."""

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from agent.lookout.store import rollups
from agent.lookout.store.entries import Entry
from agent.lookout.store.pruning import Past, prune
from agent.lookout.store.recording import record
from agent.lookout.store.rollups import Counts
from agent.lookout.store.tables import metadata
from agent.store.columns import Row
from agent.store.store import Store
from tests.lookout.store.databases import Contents
from tests.lookout.store.drawn import deliveries, messages
from tests.lookout.store.pruned import SMALL, counts, everything, left, recount, without
from tests.store.events import START

LAW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TIMES = st.sampled_from([-30, 0, 0.75, 12, 20, 36, 71, 100]).map(lambda hours: START + timedelta(hours=hours))
KEYS = (("job", "job_id"), ("job_run", "run_id"))
PASTS = st.none() | st.builds(Past, logs=TIMES, rest=TIMES)


def emptied(database: Store) -> Store:
    with database.write() as connection:
        for table in metadata.tables.values():
            connection.execute(delete(table))
    return database


class Watched:
    """A database of which the counts are looked at after each transaction."""

    def __init__(self, database: Store) -> None:
        self.database = database
        self.final: Counts = {}

    def look(self) -> None:
        """Counts are those of the rows, and what was final has not changed."""
        with self.database.read() as connection:
            final, since = counts(connection)
            assert since == recount(connection)
        assert {key: final.get(key) for key in self.final} == self.final
        self.final = final

    def put(self, batch: Sequence[Entry]) -> None:
        before, final = everything(self.database), set(self.final)
        with self.database.write() as connection:
            record(connection, batch)
        self.look()
        assert set(self.final) == final
        assert old(everything(self.database)) <= old(before)

    def prune(self, past: Past) -> None:
        before = everything(self.database)
        for _ in prune(self.database, past, SMALL):
            self.look()
        after = everything(self.database)
        assert without(after, "horizon") == without(left(before, past, SMALL), "horizon")
        self.look()

    def rebuild(self) -> None:
        before = everything(self.database)
        with self.database.write() as connection:
            rollups.rebuild(connection)
        assert everything(self.database) == before


def old(rows: Contents) -> set[str]:
    """The jobs and runs of which nothing was heard since the horizon."""
    since = [row["at"] for row in rows["horizon"]]
    return {row[key] for name, key in KEYS for row in rows[name] for at in since if row["last_day"] < at}


@LAW
@given(data=st.data(), sent=messages())
def test_what_is_past_goes_as_a_whole_and_counts_stay(database: Store, data: st.DataObject, sent: list[Entry]) -> None:
    watched = Watched(emptied(database))
    for batch in data.draw(deliveries(sent)):
        watched.put(batch)
        if (past := data.draw(PASTS)) is not None:
            watched.prune(past)
    watched.rebuild()


@LAW
@given(data=st.data(), sent=messages(), past=st.builds(Past, logs=TIMES, rest=TIMES))
def test_to_store_everything_again_brings_no_half_of_a_run_back(
    database: Store, data: st.DataObject, sent: list[Entry], past: Past
) -> None:
    watched = Watched(emptied(database))
    watched.put(sent)
    whole = runs(database)
    for batch in data.draw(deliveries(sent)):
        watched.prune(past)
        watched.put(batch)
    watched.put(sent)

    stored = runs(database)
    assert stored == {name: row for name, row in whole.items() if name in stored}
    assert {name for name, row in whole.items() if row["last_day"] >= past.day} <= set(stored)


def runs(database: Store) -> dict[str, Row]:
    return {row["run_id"]: row for row in everything(database)["job_run"]}
