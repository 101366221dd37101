from dataclasses import replace

import pytest

from agent.core.evidence import Container, ContainerKind, ContainerState, StateKind, Taint
from agent.core.value import value


@value(frozen=True, slots=True, kw_only=True)
class Spot:
    x: int
    name: str = ""


def test_values_are_equal_by_their_fields_and_so_are_their_hashes() -> None:
    assert Spot(x=1) == Spot(x=1, name="")
    assert {Spot(x=1): "here"}[Spot(x=1)] == "here"
    assert Spot(x=1) != Spot(x=2)
    assert replace(Spot(x=1, name="n"), x=2) == Spot(x=2, name="n")


def test_evidence_is_a_value() -> None:
    state = ContainerState(kind=StateKind.RUNNING)
    assert {
        Container(name="a", kind=ContainerKind.APP, state=state),
        Container(name="a", kind=ContainerKind.APP, state=state),
    } == {Container(name="a", kind=ContainerKind.APP, state=state)}


def test_no_field_can_be_added() -> None:
    with pytest.raises(AttributeError):
        Spot(x=1).y = 2  # type: ignore[attr-defined]  # that is the point


def test_the_type_checker_refuses_an_assignment() -> None:
    """Mypy complains of an ignore that is not needed, so this line holds only while it refuses."""
    taint = Taint(key="k")
    taint.key = "other"  # type: ignore[misc]  # that is the point
    assert taint.key == "other"
