import pytest

from agent.kube.reflector.cache import ListedUids


def test_who_was_not_named_is_missing() -> None:
    listed = ListedUids(known=2)
    listed.add("a")
    listed.add("b")
    listed.discard("b")

    assert "a" in listed
    assert "b" not in listed


@pytest.mark.parametrize("uid", ["a", "b"])
def test_a_first_list_names_all_there_is(uid: str) -> None:
    listed = ListedUids(known=0)
    listed.add("a")

    assert uid in listed
