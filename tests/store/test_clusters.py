from datetime import timedelta

import pytest
from msgspec import structs

from agent.core.heartbeat import Heartbeat, RunOffer
from agent.store import clusters
from agent.store.clusters import Cluster
from agent.store.store import Store
from tests.store.events import START

EAST = Heartbeat(
    cluster_id="uid-east",
    cluster="east",
    epoch=3,
    incarnation="i",
    spool_id="s",
    last_spooled=0,
    last_acknowledged=0,
    runs=RunOffer(namespaces=("jobs", "more"), max_runs=5),
)


def test_the_latest_heartbeat_of_each_cluster_is_kept(store: Store) -> None:
    west = structs.replace(EAST, cluster_id="uid-west", cluster="a-west", runs=None)
    later = structs.replace(EAST, epoch=4, incarnation="j", runs=RunOffer(namespaces=(), max_runs=0))
    with store.write() as connection:
        for seconds, heartbeat in enumerate((EAST, west, later)):
            clusters.record(connection, heartbeat, received_at=START + timedelta(seconds=seconds))

    with store.read() as connection:
        assert clusters.everything(connection) == [
            Cluster(
                cluster_id="uid-west",
                name="a-west",
                epoch=3,
                incarnation="i",
                runs=None,
                received_at=START + timedelta(seconds=1),
            ),
            Cluster(
                cluster_id="uid-east",
                name="east",
                epoch=4,
                incarnation="j",
                runs=RunOffer(namespaces=(), max_runs=0),
                received_at=START + timedelta(seconds=2),
            ),
        ]


@pytest.mark.parametrize(
    ("epoch", "minutes", "kept"),
    [(2, 1, False), (2, 4.9, False), (2, 5, True), (3, 1, True), (4, 1, True), (4, -1, False)],
    ids=["earlier leader", "earlier leader, late", "new lease", "same leader", "next leader", "received before"],
)
def test_a_heartbeat_of_an_earlier_leader_or_time_changes_nothing(
    store: Store, *, epoch: int, minutes: float, kept: bool
) -> None:
    other = structs.replace(EAST, epoch=epoch, incarnation="other", runs=None)
    with store.write() as connection:
        assert clusters.record(connection, EAST, received_at=START)
        assert clusters.record(connection, other, received_at=START + timedelta(minutes=minutes)) == kept
        (found,) = clusters.everything(connection)

    assert (found.incarnation, found.runs) == (("other", None) if kept else ("i", EAST.runs))
