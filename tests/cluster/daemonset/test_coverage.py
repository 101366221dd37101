"""Which nodes the elected process watches for others."""

from hypothesis import given
from hypothesis import strategies as st

from agent.cluster.daemonset.coverage import ClusterView, Heard, to_cover
from agent.kube.lease import Record


def lease(version: str) -> Record:
    return Record(holder="a", duration=30, transitions=1, version=version)


def cover(cluster: ClusterView, now: float) -> tuple[str, ...]:
    return to_cover(cluster, own="own", silence=30.0, now=now)


def test_a_node_is_covered_when_its_process_was_silent_for_too_long() -> None:
    heard = Heard()
    cluster = ClusterView(ready={"a": True, "b": True}, heard=heard.times, lost=(), since=0.0)
    for tick in range(8):
        heard.note({"a": lease(str(tick)), "b": lease("same")}, now=tick * 5.0)

    assert cover(cluster, now=29.0) == ()
    assert cover(cluster, now=36.0) == ("b",)


def test_who_was_just_elected_listens_first() -> None:
    assert cover(ClusterView(ready={"a": True}, heard={"a": 1.0}, lost=(), since=100.0), now=120.0) == ()


def test_the_first_sight_of_a_lease_says_nothing_of_when_it_was_renewed() -> None:
    heard = Heard()
    heard.note({"a": lease("1")}, now=50.0)

    assert heard.times == {}


def test_a_lease_that_is_gone_is_forgotten() -> None:
    heard = Heard()
    for tick in range(2):
        heard.note({"a": lease(str(tick))}, now=float(tick))
    heard.note({}, now=2.0)

    assert (heard.times, heard.versions) == ({}, {})


def test_nodes_that_are_not_ready_or_lost_are_covered_at_once() -> None:
    cluster = ClusterView(ready={"a": False, "b": True}, heard={"a": 9.0, "b": 9.0}, lost={"c"}, since=0.0)

    assert set(cover(cluster, now=10.0)) == {"a", "c"}


@given(
    ready=st.dictionaries(st.sampled_from(["own", "a", "b", "c", "d"]), st.booleans()),
    heard=st.dictionaries(st.sampled_from(["own", "a", "b", "c", "d"]), st.floats(0, 100)),
    lost=st.sets(st.sampled_from(["own", "e", "f"])),
    since=st.floats(0, 100),
    later=st.floats(0, 100),
)
def test_our_own_node_never_is_and_the_longest_silent_come_first(
    ready: dict[str, bool], heard: dict[str, float], lost: set[str], since: float, later: float
) -> None:
    cluster = ClusterView(ready=ready, heard=heard, lost=lost, since=since)
    covered = cover(cluster, now=100.0 + later)
    last = [max(heard.get(node, since), since) if node in ready else since for node in covered]

    assert "own" not in covered
    assert len(set(covered)) == len(covered)
    assert last == sorted(last)
