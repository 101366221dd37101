"""What is kept of pods that nobody started."""

from dataclasses import replace
from datetime import timedelta

from agent.core.run_event import RunPhase
from agent.store import clusters
from agent.store.listed_orphans import add, confirm
from agent.store.listed_orphans import replace as replace_orphans
from agent.store.orphans import KnownOrphan, Orphan, counts, everything, named, of_job
from agent.store.store import Store
from tests.core.lifecycle.made import T0
from tests.scheduler.runs import heartbeat

HOUR = timedelta(hours=1)


def orphan(uid: str, *, cluster: str = "east", job_id: str = "j", name: str = "armada-j-0") -> Orphan:
    return Orphan(
        cluster_id=f"id-{cluster}",
        uid=uid,
        namespace="jobs",
        pod_name=name,
        node="n1",
        job_id=job_id,
        run_id="r0",
        queue="ml",
        phase=RunPhase.RUNNING,
        since=T0,
    )


def known(found: Orphan, cluster: str = "east") -> KnownOrphan:
    return KnownOrphan(orphan=found, cluster=cluster)


def test_the_latest_list_says_which_there_are_and_the_first_since_when(store: Store) -> None:
    with store.write() as connection:
        replace_orphans(connection, "id-east", [orphan("u1"), orphan("u2")])
        replace_orphans(connection, "id-west", [orphan("u1", cluster="west")])
        later = [replace(orphan(uid), since=T0 + HOUR, node="n2") for uid in ("u2", "u3")]
        replace_orphans(connection, "id-east", later)
        clusters.record(connection, heartbeat(), received_at=T0)

        kept, new = replace(later[0], since=T0), later[1]
        west = known(orphan("u1", cluster="west"), "id-west")
        assert everything(connection) == [known(kept), known(new), west]
        assert [found.orphan.uid for found in named(connection, ["u1", "u3", "u9"])] == ["u3", "u1"]
        assert (len(of_job(connection, "j")), of_job(connection, "k"), named(connection, [])) == (3, [], [])


def test_a_list_that_proves_no_absence_adds_only(store: Store) -> None:
    with store.write() as connection:
        add(connection, [orphan("u1"), orphan("u2")])
        add(connection, [replace(orphan("u1"), since=T0 + HOUR)])
        add(connection, [])

        assert [(found.orphan.uid, found.orphan.since) for found in everything(connection)] == [("u1", T0), ("u2", T0)]


def test_a_persons_word_stays_as_long_as_the_pod(store: Store) -> None:
    with store.write() as connection:
        replace_orphans(connection, "id-east", [orphan("u1"), orphan("u2")])
        clusters.record(connection, heartbeat(), received_at=T0)
        clusters.record(connection, heartbeat("west"), received_at=T0)
        assert counts(connection) == {"east": 2, "west": 0}

        confirm(connection, orphan("u1"), by="ann", reason="scrapped", at=T0 + HOUR)
        replace_orphans(connection, "id-east", [orphan("u1"), orphan("u2")])
        said = replace(known(orphan("u1")), confirmed_by="ann", confirmed_at=T0 + HOUR, confirmed_reason="scrapped")
        assert named(connection, ["u1"]) == [said]
        assert counts(connection) == {"east": 1, "west": 0}

        replace_orphans(connection, "id-east", [])
        replace_orphans(connection, "id-east", [orphan("u1")])
        assert named(connection, ["u1"]) == [known(orphan("u1"))]
