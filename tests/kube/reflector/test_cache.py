from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.kube.codec import Undecodable
from agent.kube.objects import Metadata, Pod
from agent.kube.reflector.cache import Cache, Change, ChangeKind

Kept = tuple[str, str]


def pod(uid: str, version: str, *, name: str = "") -> Pod:
    return Pod(metadata=Metadata(uid=uid, resourceVersion=version, name=name or uid, namespace="n"))


def inventory() -> Cache[Pod, Kept]:
    return Cache(lambda pod: (pod.metadata.uid or "", pod.metadata.resourceVersion or ""))


def kinds(changes: list[Change[Pod, Kept]]) -> list[tuple[str, str]]:
    return [(change.kind.value, change.uid) for change in changes]


def test_a_duplicate_changes_nothing() -> None:
    known = inventory()
    assert kinds(list(known.put(pod("u", "1")))) == [("added", "u")]
    assert kinds(list(known.put(pod("u", "1")))) == []
    assert kinds(list(known.put(pod("u", "2")))) == [("modified", "u")]


def test_a_cache_may_keep_nothing_of_an_object() -> None:
    known: Cache[Pod, None] = Cache(None)
    changes = [*known.put(pod("u", "1")), *known.put(pod("u", "1")), *known.remove(pod("u", "2"))]

    assert [(change.kind.value, change.previous) for change in changes] == [("added", None), ("deleted", None)]


def test_a_version_that_looks_older_is_another_version() -> None:
    known = inventory()
    list(known.put(pod("u", "10")))
    assert kinds(list(known.put(pod("u", "9")))) == [("modified", "u")]


@pytest.mark.parametrize(
    "versions", [("7", "07"), ("0", ""), ("1" * 21, "1" * 22), ("\N{ARABIC-INDIC DIGIT SEVEN}", "7")]
)
def test_versions_are_compared_as_texts(versions: tuple[str, str]) -> None:
    known = inventory()
    first, second = versions
    seen = [kinds(list(known.put(pod("u", version)))) for version in (first, second, second, first)]

    assert seen == [[("added", "u")], [("modified", "u")], [], [("modified", "u")]]


def test_the_same_name_with_a_new_uid_is_two_changes() -> None:
    known = inventory()
    list(known.put(pod("old", "1", name="p")))
    changes = list(known.put(pod("new", "2", name="p")))
    assert kinds(changes) == [("deleted", "old"), ("added", "new")]
    assert (changes[0].object, changes[0].previous) == (None, ("old", "1"))
    assert kinds(list(known.remove(pod("old", "3", name="p")))) == [], "its deletion comes too late to matter"
    assert set(known.kept()) == {"new"}


def test_an_object_that_becomes_undecodable_stays_in_the_cache() -> None:
    known = inventory()
    list(known.put(pod("u", "1")))
    known.put_undecodable(Undecodable(uid="u", name="n/u", resource_version="2", why=""))
    assert kinds(list(known.sweep({"u"}))) == []
    assert kinds(list(known.put(pod("u", "3")))) == [("modified", "u")]


def test_an_undecodable_object_can_be_deleted() -> None:
    known = inventory()
    list(known.put(pod("u", "1")))
    assert (
        kinds(list(known.remove_undecodable(Undecodable(uid="other", name="n/u", resource_version="2", why="")))) == []
    )
    assert kinds(list(known.remove_undecodable(Undecodable(uid="u", name="n/u", resource_version="2", why="")))) == [
        ("deleted", "u")
    ]
    assert len(known) == 0


@dataclass(frozen=True, slots=True)
class _Put:
    uid: str
    version: str


@dataclass(frozen=True, slots=True)
class _Remove:
    uid: str


@dataclass(frozen=True, slots=True)
class _List:
    uids: frozenset[str]


NAMES = {"a": "x", "b": "x", "c": "y", "d": "y"}
uids = st.sampled_from(sorted(NAMES))
actions = st.lists(
    st.builds(_Put, uids, st.sampled_from("123")) | st.builds(_Remove, uids) | st.builds(_List, st.frozensets(uids))
)


def perform(known: Cache[Pod, Kept], action: _Put | _Remove | _List) -> list[Change[Pod, Kept]]:
    match action:
        case _Put(uid=uid, version=version):
            return list(known.put(pod(uid, version, name=NAMES[uid])))
        case _Remove(uid=uid):
            return list(known.remove(pod(uid, "9", name=NAMES[uid])))
        case _List(uids=listed):
            return list(known.sweep(listed))


@given(actions=actions)
def test_the_changes_add_up_to_the_objects_that_exist(actions: list[_Put | _Remove | _List]) -> None:
    """Every change is notified once: replayed, the changes give the same objects, and no name twice."""
    known, followed = inventory(), dict[str, Kept]()
    for action in actions:
        for change in perform(known, action):
            assert change.previous == followed.get(change.uid)
            if change.kind is ChangeKind.DELETED:
                del followed[change.uid]
            else:
                assert change.object is not None
                assert (change.kind is ChangeKind.ADDED) == (change.uid not in followed)
                followed[change.uid] = (change.uid, change.object.metadata.resourceVersion or "")
        assert followed == dict(known.kept())
        assert len(known) == len(followed)


def test_without_entries_every_state_is_notified() -> None:
    known: Cache[Pod, None] = Cache(lambda _: None, remembers=False)
    told = [*known.put(pod("u", "1")), *known.put(pod("u", "1")), *known.remove(pod("u", "2"))]

    assert [(change.kind.value, change.uid) for change in told] == [("added", "u"), ("added", "u"), ("deleted", "u")]
    assert (len(known), list(known.sweep(set()))) == (0, [])
