"""What holds whatever messages come, in whatever order, and however often."""

from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.core.run_event import RunEvent
from agent.lookout.store import jobs, rollups
from agent.lookout.store.entries import Entry
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.lookout.store.databases import contents, stored
from tests.lookout.store.drawn import deliveries, messages
from tests.store.databases import rolled_back

LAW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LAW
@given(data=st.data(), sent=messages())
def test_neither_order_nor_repetition_nor_batches_matter(
    database: Store, data: st.DataObject, sent: list[Entry]
) -> None:
    with rolled_back(database) as connection:
        expected = stored(connection, sent)
    delivered = data.draw(deliveries(sent))

    with rolled_back(database) as connection:
        assert stored(connection, *delivered) == expected


@LAW
@given(data=st.data(), sent=messages())
def test_counts_are_those_of_the_rows_after_each_batch(database: Store, data: st.DataObject, sent: list[Entry]) -> None:
    with rolled_back(database) as connection:
        for batch in data.draw(deliveries(sent)):
            record(connection, batch)

            assert rollups.stored(connection) == rollups.recount(connection)


@LAW
@given(data=st.data(), sent=messages())
def test_to_rebuild_counts_changes_nothing(database: Store, data: st.DataObject, sent: list[Entry]) -> None:
    with rolled_back(database) as connection:
        before = stored(connection, *data.draw(deliveries(sent)))
        rollups.rebuild(connection)

        assert contents(connection) == before


@LAW
@given(sent=messages())
def test_a_job_that_says_what_an_event_says_is_not_changed_by_it(sent: list[Entry]) -> None:
    told = [entry for entry in sent if isinstance(entry, RunEvent)]
    for before, event in product(told, told):
        known = jobs.of_run_event(before)
        merged = jobs.merge(known, jobs.of_run_event(event))

        assert not jobs.says(known, event) or merged == known
