"""What the structs of ``evidence``, ``failure`` and ``heartbeat`` promise as values."""

import gc
from collections.abc import Iterator
from inspect import getmembers
from types import ModuleType

import pytest
from msgspec import Struct
from msgspec.structs import replace

from agent.core import evidence, failure, heartbeat
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, Pod, StateKind, Taint
from agent.core.run_event import Identity
from tests.ground.findings import assert_no_findings


def _structs(module: ModuleType) -> list[type[Struct]]:
    return [member for _, member in getmembers(module) if isinstance(member, type) and issubclass(member, Struct)]


VALUES = {struct for module in (evidence, failure, heartbeat) for struct in _structs(module)} - {Struct}


def broken_promises(kind: type[Struct]) -> Iterator[str]:
    config = kind.__struct_config__
    if not config.frozen:
        yield f"{kind}: can be changed: make it frozen"
    if config.gc:
        yield f"{kind}: is known to the collector: say gc=False"
    if kind.__match_args__:
        yield f"{kind}: is made by position: say kw_only=True"


def test_every_struct_is_frozen_made_by_names_and_unknown_to_the_collector() -> None:
    assert_no_findings(broken_promises, sorted(VALUES, key=str))


def test_a_struct_that_promises_nothing_is_found() -> None:
    class Point(Struct):
        x: int

    assert [finding.partition(">: ")[2] for finding in broken_promises(Point)] == [
        "can be changed: make it frozen",
        "is known to the collector: say gc=False",
        "is made by position: say kw_only=True",
    ]


def test_they_are_equal_by_their_fields_and_so_are_their_hashes() -> None:
    state = ContainerState(kind=StateKind.RUNNING)
    assert Taint(key="k") == Taint(key="k", value="")
    assert Taint(key="k") != Taint(key="l")
    assert {
        Container(name="a", kind=ContainerKind.APP, state=state),
        Container(name="a", kind=ContainerKind.APP, state=state),
    } == {Container(name="a", kind=ContainerKind.APP, state=state)}


def test_one_of_other_fields_is_made_of_one() -> None:
    assert replace(Taint(key="k", value="v"), key="l") == Taint(key="l", value="v")


def test_no_field_can_be_added() -> None:
    with pytest.raises(AttributeError):
        Taint(key="k").y = 2  # type: ignore[attr-defined]  # that is the point


def test_an_assignment_is_refused_by_the_type_checker_and_at_run_time() -> None:
    """Mypy complains of an ignore that is not needed, so this line holds only while it refuses."""
    taint = Taint(key="k")
    with pytest.raises(AttributeError, match="immutable"):
        taint.key = "other"  # type: ignore[misc]  # that is the point


def test_evidence_of_nothing_has_a_pod_of_nothing() -> None:
    assert Evidence().pod == Pod()


def test_the_collector_visits_none() -> None:
    assert not gc.is_tracked(Evidence())


def test_they_have_methods_and_match_by_their_fields() -> None:
    match Identity(job_id="j", run_id="r", gang_id="g"):
        case Identity(job_id="j", run_id=run_id) as identity:
            assert (run_id, identity.scope) == ("r", "g")
        case _:
            pytest.fail("it does not match")
