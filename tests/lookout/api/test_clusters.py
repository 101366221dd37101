"""Clusters as the API shows them: the latest heartbeat, and how far behind what is stored is."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent.core.heartbeat import Heartbeat, NodeShape, RunOffer
from agent.core.run_event import RuleSetLoaded
from agent.lookout.api.application import create
from agent.lookout.store.recording import Entry, record
from agent.store.store import Store
from tests.lookout.api.serving import Client, backend, serving
from tests.lookout.store.databases import database, database_url

__all__ = ["database", "database_url"]

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
EAST = Heartbeat(
    cluster_id="uid-1",
    cluster="east",
    epoch=1,
    incarnation="i",
    spool_id="s",
    last_spooled=120,
    last_acknowledged=100,
    node_shapes=(NodeShape(ready=3, total=4), NodeShape(ready=1, total=1)),
    sent_at=AT,
    runs=RunOffer(namespaces=("jobs",), max_runs=5),
)
RULES = RuleSetLoaded(
    event_id="e1", cluster_id="uid-2", cluster="west", revision="r1", categories=("gpu",), loaded_at=AT
)


@contextmanager
def showing(store: Store, *entries: Entry) -> Iterator[Client]:
    with store.write() as connection:
        record(connection, entries)
    with serving(create(backend(store, lag=lambda: timedelta(seconds=1.5)))) as client:
        yield client


@pytest.mark.slow
def test_the_latest_heartbeat_of_each_cluster_is_shown(database: Store) -> None:
    with showing(database, EAST, RULES) as client:
        found: Any = client.get("/api/v1/clusters").json

    east, west = found["items"]
    assert (east["cluster"], east["clusterId"], east["unacknowledged"]) == ("east", "uid-1", 20)
    assert datetime.fromisoformat(east["sentAt"]) == AT
    assert (east["nodes"], east["readyNodes"], east["takesRuns"]) == (5, 4, True)
    assert (west["sentAt"], west["rulesRevision"], west["nodes"]) == (None, "r1", 0)
    assert found["lagSeconds"] == 1.5


@pytest.mark.slow
def test_a_heartbeat_without_a_time_has_none(database: Store) -> None:
    timeless = Heartbeat(
        cluster_id="uid-1", cluster="east", epoch=1, incarnation="i", spool_id="", last_spooled=0, last_acknowledged=0
    )
    with showing(database, timeless) as client:
        (east,) = client.get("/api/v1/clusters").json["items"]

    assert (east["sentAt"], east["takesRuns"], east["rulesLoadedAt"]) == (None, False, None)
