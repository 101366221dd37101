"""Whatever stands in a text of an event, the event is stored or refused as a message; no database ever refuses it."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.broker.port import Message
from agent.core.run_event import RunEvent
from agent.lookout.ingest.messages import read
from agent.store.store import Store
from agent.wire.error import WireError
from tests.core.strategies import run_events
from tests.lookout.chaos.hostile import LINE, POISONS, paths, poisoned
from tests.lookout.store.databases import stored
from tests.scheduler.path import delivery
from tests.store.databases import rolled_back
from tests.store.events import event, failed

REFUSED = frozenset({"nul", "surrogate"})
"""What no contract allows in a text."""

LAW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LAW
@given(data=st.data(), found=run_events(), poison=st.sampled_from([*POISONS, LINE]))
def test_a_hostile_text_anywhere_is_stored_or_refused_before_the_database(
    database: Store, data: st.DataObject, found: RunEvent, poison: str
) -> None:
    payload = poisoned(found, data.draw(st.sampled_from(paths(found))), poison)
    sent = delivery(Message(key="job", payload=payload))
    if poison in REFUSED:
        with pytest.raises(WireError):
            read(sent)
        return
    entry = read(sent)
    assert entry is not None
    with rolled_back(database) as connection:
        assert len(stored(connection, [entry])["job_run"]) == 1


def test_every_text_of_a_failure_is_one_that_others_write() -> None:
    places = Counter(path.partition(".")[0] for path in paths(event("e", failed())))

    assert places.keys() == {"identity", "pod", "event"}
    assert places["event"] > 15
