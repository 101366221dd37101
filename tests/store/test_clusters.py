from datetime import timedelta

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
