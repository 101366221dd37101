from datetime import timedelta
from typing import Any

import pytest

from agent.core.history import FailedOn
from agent.core.retry.choices import Strength
from agent.core.retry.placement import Avoided, avoid
from tests.core.retry.builders import NOW, anti_affinity

EARLIER = [FailedOn(f"n{hours}", NOW - timedelta(hours=hours)) for hours in (3, 2, 1)]


def avoided(row: dict[str, Any], *, node: str = "here", fitting: int | None = None) -> Avoided:
    return avoid(anti_affinity(row), node=node, earlier=EARLIER, now=NOW, fitting=fitting)


@pytest.mark.parametrize(
    ("row", "nodes"),
    [
        ({}, ()),
        ({"mode": "none", "scope": "all"}, ()),
        ({"mode": "node"}, ("here",)),
        ({"mode": "node", "scope": "last"}, ("here",)),
        ({"mode": "node", "scope": "all"}, ("n3", "n2", "n1", "here")),
        ({"mode": "node", "scope": "all", "maxNodes": 2}, ("n1", "here")),
        ({"mode": "node", "scope": "all", "maxNodes": 9}, ("n3", "n2", "n1", "here")),
        ({"mode": "node", "scope": "all", "expireAfter": 7200}, ("n1", "here")),
        ({"mode": "node", "scope": "all", "expireAfter": 7201}, ("n2", "n1", "here")),
    ],
)
def test_nodes(row: dict[str, Any], nodes: tuple[str, ...]) -> None:
    assert avoided(row).nodes == nodes


def test_a_node_that_failed_again_is_avoided_once() -> None:
    assert avoided({"mode": "node", "scope": "all"}, node="n2").nodes == ("n3", "n1", "n2")


def test_a_run_without_a_node_avoids_none_of_its_own() -> None:
    assert avoided({"mode": "node"}, node="") == Avoided(
        notes=("antiAffinity node: the run never had a node, so none is avoided",)
    )


@pytest.mark.parametrize(
    ("fitting", "strength"),
    [(None, Strength.REQUIRED), (2, Strength.REQUIRED), (1, Strength.PREFERRED), (0, Strength.PREFERRED)],
)
def test_a_required_avoidance_that_leaves_no_node_becomes_preferred_and_says_so(
    fitting: int | None, strength: Strength
) -> None:
    found = avoided({"mode": "node"}, fitting=fitting)

    assert (found.nodes, found.strength, found.hopeless) == (("here",), strength, False)
    assert ("so it is preferred only" in found.notes[-1]) == (strength is Strength.PREFERRED)


def test_what_is_preferred_stays_so() -> None:
    assert avoided({"mode": "node", "strength": "preferred"}, fitting=0).strength is Strength.PREFERRED


def test_armadas_is_hopeless_without_an_untried_node() -> None:
    found = avoided({"mode": "node", "exhausted": "fail"}, fitting=1)

    assert (found.hopeless, found.nodes) == (True, ())
    assert "no untried node fits the job" in found.notes[-1]
