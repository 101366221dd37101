import pytest

from agent.kube.reflector.cache import ListedUids


def test_who_was_not_named_is_missing() -> None:
    roll = ListedUids(known=2)
    roll.name("a")
    roll.name("b")
    roll.strike("b")

    assert "a" in roll
    assert "b" not in roll


@pytest.mark.parametrize("uid", ["a", "b"])
def test_a_first_list_names_all_there_is(uid: str) -> None:
    roll = ListedUids(known=0)
    roll.name("a")

    assert uid in roll
