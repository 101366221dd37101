import pytest

from agent.kube.reflector.cache import ListedUids


def test_uids_that_were_not_listed_are_missing() -> None:
    listed = ListedUids(known=2)
    listed.add("a")
    listed.add("b")
    listed.discard("b")

    assert "a" in listed
    assert "b" not in listed


@pytest.mark.parametrize("uid", ["a", "b"])
def test_every_uid_counts_as_listed_in_a_first_list(uid: str) -> None:
    listed = ListedUids(known=0)
    listed.add("a")

    assert uid in listed
