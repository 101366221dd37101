"""Shipped files are found by name, in the tree as in the wheel (tests/ground/test_wheel.py)."""

import pytest

from agent.shipped import shipped
from tests.ground.tree import ROOT


def test_a_shipped_file_is_the_one_at_the_top_of_the_tree() -> None:
    assert shipped("error-categories.yaml").samefile(ROOT / "config" / "error-categories.yaml")


@pytest.mark.parametrize("name", ["nothing.yaml", "", ".", "../shipped.py"])
def test_what_is_not_shipped_is_refused_with_what_is(name: str) -> None:
    with pytest.raises(FileNotFoundError, match=r"error-categories\.yaml"):
        shipped(name)
