from dataclasses import fields, is_dataclass, replace

import pytest

from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, Pod, StateKind, Taint
from agent.core.value import value


@value(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place."""

    x: int
    name: str = ""

    @property
    def called(self) -> str:
        return f"{self.name} {self.x}"


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


def test_an_assignment_is_refused_by_the_type_checker_and_at_run_time() -> None:
    """Mypy complains of an ignore that is not needed, so this line holds only while it refuses."""
    taint = Taint(key="k")
    with pytest.raises(AttributeError, match="immutable"):
        taint.key = "other"  # type: ignore[misc]  # that is the point


def test_a_default_may_be_made_anew() -> None:
    assert Evidence().pod == Pod()


def test_dataclasses_know_its_fields_and_it_has_its_own_methods() -> None:
    assert [each.name for each in fields(Spot(x=1))] == ["x", "name"]
    assert is_dataclass(Spot)
    assert Spot(x=1, name="n").called == "n 1"
    assert Spot.__doc__ == "A place."
    assert repr(Spot(x=1)) == "Spot(x=1, name='')"


def test_it_matches_by_its_fields() -> None:
    match Spot(x=1, name="n"):
        case Spot(x=1, name=name):
            assert name == "n"
        case _:
            pytest.fail("it does not match")
