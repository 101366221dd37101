"""When the absence of a pod from a list proves something of its run."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.lifecycle.inventory import Absence, Consumed, Inventory, absence_of
from tests.core.lifecycle.made import T0, play

LEASED = "0 leased r0 confirmed"
CREATED = "1 created r0 u0"
NONE: Mapping[str, str] = MappingProxyType({})
ALL = Consumed(up_to_date=True)
BEHIND = Consumed(up_to_date=False)
JOB = "job"


def proved(
    *lines: str, pods: Mapping[str, str] = NONE, listed: float = 9, consumed: Consumed = ALL, cluster: str = "east"
) -> Absence | None:
    """Of the last run after these lines, which changed at 5 s."""
    inventory = Inventory(cluster=cluster, as_of=T0 + timedelta(seconds=listed), pods=pods)
    run, changed_at = play(*lines)[0].runs[-1], T0 + timedelta(seconds=5)
    return absence_of(run, inventory, consumed, changed_at=changed_at, scopes=[JOB, "gang"])


def test_a_recorded_pod_that_is_in_no_list_is_missing() -> None:
    assert proved(LEASED, CREATED) is Absence.MISSING
    assert proved(LEASED, CREATED, pods={"u0": "r0"}) is None


def test_only_its_recorded_pod_stands_for_a_run() -> None:
    assert proved(LEASED, CREATED, pods={"copy": "r0"}) is Absence.MISSING


def test_a_run_without_a_pod_was_not_created() -> None:
    assert proved(LEASED) is Absence.NOT_CREATED
    assert proved(LEASED, pods={"u0": "r0"}) is None
    assert proved(LEASED, pods={"u9": "r9"}) is Absence.NOT_CREATED


def test_a_create_that_waits_for_its_name_has_arrived() -> None:
    assert proved(LEASED, "1 name-taken r0 u9", pods={"u9": "r9"}) is None
    assert proved(LEASED, "1 name-taken r0 u9") is Absence.NOT_CREATED


@pytest.mark.parametrize("run", [(LEASED,), (LEASED, CREATED)], ids=["without a pod", "with a pod"])
def test_a_list_that_may_be_too_early_proves_nothing(run: tuple[str, ...]) -> None:
    assert proved(*run, listed=5) is None
    assert proved(*run, consumed=BEHIND) is None
    assert proved(*run, cluster="west") is None


def test_nothing_is_concluded_of_a_run_that_ended() -> None:
    assert proved(LEASED, CREATED, "2 failed u0 retry") is None


@pytest.mark.parametrize("scope", [JOB, "gang"])
def test_a_dead_letter_of_the_run_suspends_conclusions(scope: str) -> None:
    assert proved(LEASED, CREATED, consumed=Consumed(up_to_date=True, dead=[scope])) is None
    assert proved(LEASED, CREATED, consumed=Consumed(up_to_date=True, dead=["another"])) is Absence.MISSING


def test_what_was_lost_before_the_run_began_says_nothing_about_it() -> None:
    def lost(seconds: int) -> Consumed:
        return Consumed(up_to_date=True, lost_before=T0 + timedelta(seconds=seconds))

    assert proved(LEASED, CREATED, consumed=lost(-1)) is Absence.MISSING
    assert proved(LEASED, CREATED, consumed=lost(0)) is None
    assert proved(LEASED, CREATED, consumed=lost(60)) is None


consumed = st.builds(
    Consumed,
    up_to_date=st.booleans(),
    lost_before=st.none() | st.integers(-2, 2).map(lambda seconds: T0 + timedelta(seconds=seconds)),
    dead=st.frozensets(st.sampled_from([JOB, "gang", "another"])),
)


@given(consumed)
def test_what_is_proved_stays_proved_when_more_is_known(known: Consumed) -> None:
    better = (replace(known, up_to_date=True), replace(known, lost_before=None), replace(known, dead=()))

    if proved(LEASED, CREATED, consumed=known) is not None:
        assert {proved(LEASED, CREATED, consumed=more) for more in better} == {Absence.MISSING}
