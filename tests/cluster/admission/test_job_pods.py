"""What counts for the limit of an index, against a plain list of what happened."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from agent.cluster.admission.job_pods import SHOWN_WITHIN, Index, JobPods, index_of
from agent.core.admission.conditions import PodCondition
from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from agent.kube import objects
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.values import our_conditions
from tests.cluster.admission.deciding import Json, carrying, pod, read

LOST = PodCondition(type=INFRASTRUCTURE, reason="gpu")
FIRST = Index("ml", "j1", 0)


def change(written: Json, kind: ChangeKind = ChangeKind.MODIFIED) -> Change[objects.Pod, None]:
    return Change(kind=kind, uid=written["metadata"]["uid"], object=read(written), previous=None)


def unseen_deletion(uid: str) -> Change[objects.Pod, None]:
    return Change(kind=ChangeKind.DELETED, uid=uid, object=None, previous=None)


def made(*, age: float = 100.0, at_most: int = 100) -> JobPods:
    return JobPods(age=age, at_most=at_most)


def counted(pods: JobPods, *, now: float = 0.0, index: Index = FIRST) -> int:
    return pods.count(index, INFRASTRUCTURE, without="", now=now)


def test_which_index_a_pod_is_of() -> None:
    assert index_of(read(pod(job="j1", index=7))) == Index("ml", "j1", 7)
    assert index_of(read(pod(job="j1", index=None))) == Index("ml", "j1", None)
    assert index_of(read(pod(index=-1))) == Index("ml", "j1", None)
    assert index_of(read(pod(ownerReferences=[]))) is None


def test_our_conditions_are_those_with_our_prefix_that_are_true() -> None:
    said = [
        {"type": INFRASTRUCTURE, "status": "True"},
        {"type": HOPELESS, "status": "False"},
        {"type": "DisruptionTarget", "status": "True"},
    ]

    assert our_conditions(read(pod(status={"conditions": said}))) == {INFRASTRUCTURE}


def test_deleted_pods_count_until_they_are_old() -> None:
    pods = made(age=100.0)
    pods.on_change(change(carrying(pod("u1"), [LOST])), now=0.0)
    pods.on_change(unseen_deletion("u1"), now=10.0)

    assert counted(pods) == 1
    pods.on_change(change(carrying(pod("u2", index=1), [LOST])), now=111.0)
    assert (counted(pods), counted(pods, index=Index("ml", "j1", 1))) == (0, 1)


def test_a_pod_whose_end_was_seen_only_when_it_was_deleted_counts() -> None:
    pods = made()
    pods.on_change(change(pod("u1")), now=0.0)
    pods.on_change(change(carrying(pod("u1"), [LOST]), ChangeKind.DELETED), now=0.0)

    assert counted(pods) == 1
    assert pods.index("u1") is None


def test_the_first_that_was_deleted_makes_room() -> None:
    pods = made(at_most=2)
    for number in range(2):
        pods.on_change(change(carrying(pod(f"u{number}", index=number), [LOST])), now=0.0)
    full = pods.full
    for number in (1, 0):
        pods.on_change(unseen_deletion(f"u{number}"), now=0.0)
    assert (full, pods.full) == (True, False)
    pods.on_change(change(carrying(pod("u2", index=2), [LOST])), now=0.0)

    assert [counted(pods, index=Index("ml", "j1", number)) for number in range(3)] == [1, 0, 1]
    assert len(pods) == 2


def test_only_what_nobody_here_gave_is_new() -> None:
    pods = made()
    pods.on_change(change(pod("u1")), now=0.0)
    pods.give("u1", frozenset({INFRASTRUCTURE}), now=0.0)

    assert not pods.on_change(change(carrying(pod("u1"), [LOST])), now=0.0)
    assert pods.on_change(change(carrying(pod("u2"), [LOST])), now=0.0)
    assert not pods.on_change(change(carrying(pod("u2"), [LOST])), now=0.0)


def test_an_index_that_a_user_changes_later_counts_as_it_was() -> None:
    pods = made()
    for number in range(3):
        pods.on_change(change(carrying(pod("u1", index=number), [LOST])), now=0.0)
        pods.on_change(change(pod("u2", index=number)), now=0.0)

    assert [counted(pods, index=Index("ml", "j1", number)) for number in range(3)] == [1, 0, 0]
    assert pods.index("u2") == FIRST
    assert pods._by_index.keys() == {FIRST}


def test_pods_of_another_namespace_do_not_count_for_the_job_that_they_name() -> None:
    pods = made()
    pods.on_change(change(carrying(pod("u1", namespace="other"), [LOST])), now=0.0)

    assert counted(pods) == 0


@dataclass
class Model:
    """What is true of each pod: alive, shown with conditions, given some at a time."""

    alive: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)
    given: dict[str, float] = field(default_factory=dict)

    def count(self, now: float) -> int:
        lately = {uid for uid, at in self.given.items() if now - at <= SHOWN_WITHIN}
        return len(self.shown | lately)


UIDS = ("u1", "u2", "u3")
steps = st.lists(
    st.tuples(
        st.sampled_from(("alive", "given", "shown", "failed", "deleted")), st.sampled_from(UIDS), st.floats(0, 20)
    ),
    max_size=30,
)


@given(steps=steps)
def test_it_counts_what_is_shown_and_what_was_lately_given(steps: list[tuple[str, str, float]]) -> None:
    pods, model, now = made(age=10_000.0), Model(), 0.0
    for step, uid, pause in steps:
        now += pause
        match step:
            case "alive" if uid not in model.shown:
                pods.on_change(change(pod(uid)), now=now)
                model.alive.add(uid)
            case "given" if uid in model.alive:
                pods.give(uid, frozenset({INFRASTRUCTURE}), now=now)
                model.given[uid] = now
            case "shown":
                pods.on_change(change(carrying(pod(uid), [LOST])), now=now)
                model.shown.add(uid)
                model.alive.discard(uid)
                model.given.pop(uid, None)
            case "failed" if uid not in model.shown:
                pods.on_change(change(pod(uid, status={"phase": "Failed"})), now=now)
                model.alive.discard(uid)
                model.given.pop(uid, None)
            case "deleted":
                pods.on_change(unseen_deletion(uid), now=now)
                model.alive.discard(uid)
                model.given.pop(uid, None)
        assert counted(pods, now=now) == model.count(now)
        assert {uid for uid in UIDS if pods.index(uid) is not None} == model.alive
    assert pods._by_index.keys() <= {FIRST}
