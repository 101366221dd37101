"""When clusters are asked for lists."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agent.broker.topics import JOB_EVENTS, commands_topic
from agent.core.run_command import ListRuns
from agent.scheduler.schedule.list_requests import ListRequests, is_due
from agent.scheduler.schedule.terms import PassTerms
from agent.store import clusters, outbox
from agent.store.run_lists import Asked
from agent.store.store import Store
from agent.wire import commands
from tests.core.lifecycle.made import T0
from tests.scheduler.runs import CLUSTER, OFFER, Loop, heartbeat
from tests.scheduler.schedule.test_scheduling_pass import SETTINGS
from tests.store.databases import new_store

MINUTE = timedelta(minutes=1)


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    with Store.open(new_store(tmp_path)) as opened:
        yield Loop(opened)


def asked(loop: Loop, *, seconds: float = 0, offers: bool = True, silent: bool = False) -> int:
    """How often the cluster has been asked after so many seconds, in which it sent heartbeats unless it is silent."""
    terms = PassTerms(inputs=loop.inputs, runs=SETTINGS)
    loop.wait(seconds)
    with loop.store.write() as connection:
        beat = heartbeat(runs=OFFER if offers else None)
        clusters.record(connection, beat, received_at=loop.now - (timedelta(hours=1) if silent else timedelta(0)))
    ListRequests(loop.store, terms=lambda: terms, clock=lambda _: loop.now).run(lambda _: None)
    return len(requests(loop))


def requests(loop: Loop) -> list[ListRuns]:
    with loop.store.read() as connection:
        query = outbox.table.select().where(outbox.table.c.topic != JOB_EVENTS).order_by(outbox.table.c.id)
        rows = list(connection.execute(query).mappings())
    found = [(row["topic"], row["key"], commands.decode_any(row["payload"])) for row in rows]
    assert {(topic, key) for topic, key, sent in found if isinstance(sent, ListRuns)} <= {
        (commands_topic("east"), CLUSTER)
    }
    return [sent for _, _, sent in found if isinstance(sent, ListRuns)]


def test_a_cluster_that_takes_runs_is_asked_at_once_and_after_each_interval(loop: Loop) -> None:
    assert [asked(loop), asked(loop, seconds=59)] == [1, 1]
    loop.see()
    assert asked(loop, seconds=1) == 2
    assert requests(loop) == [ListRuns(cluster_id=CLUSTER, issued_at=T0 + each * MINUTE) for each in range(2)]


def test_a_cluster_that_takes_no_runs_is_asked_while_it_has_some(loop: Loop) -> None:
    assert asked(loop, offers=False) == 0
    loop.submit()
    loop.lease()
    assert asked(loop, offers=False) == 1


def test_a_silent_cluster_is_not_asked(loop: Loop) -> None:
    loop.now += timedelta(hours=2)
    assert asked(loop, silent=True) == 0


@pytest.mark.parametrize(
    ("minutes", "as_of", "due"),
    [
        (0.9, None, False),
        (1, None, False),
        (4.9, -9, False),
        (5, None, True),
        (1, 0, True),
        (1, 2, True),
        (0.9, 0, False),
    ],
)
def test_a_request_without_an_answer_keeps_others_back_for_some_intervals(
    minutes: float, as_of: float | None, *, due: bool
) -> None:
    answered: datetime | None = None if as_of is None else T0 + timedelta(seconds=as_of)
    found = Asked(asked_at=T0, as_of=answered)

    assert is_due(found, T0 + minutes * MINUTE, every=MINUTE) is due
    assert is_due(None, T0, every=MINUTE)
