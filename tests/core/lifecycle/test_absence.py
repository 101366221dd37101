"""When the absence of a pod from a list proves something of its run."""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.lifecycle.absence import Absence, Consumed, Inventory, absence_of
from tests.core.lifecycle.made import T0, play

LEASED = "0 leased r0 confirmed"
CREATED = "1 created r0 u0"
NONE: Mapping[str, str] = MappingProxyType({})
ALL = Consumed(published={"s0": 7, "s1": 2}, committed={"s0": 7, "s1": 3})
EARLIER_SPOOL = Consumed(published={"s0": 7, "s1": 2}, committed={"s1": 2})
DEAD = Consumed(published={}, committed={}, dead=["r0"])


def proved(
    *lines: str, pods: Mapping[str, str] = NONE, listed: float = 9, consumed: Consumed = ALL, cluster: str = "east"
) -> Absence | None:
    """Of the last run after these lines, which changed at 5 s."""
    inventory = Inventory(cluster=cluster, as_of=T0 + timedelta(seconds=listed), pods=pods)
    return absence_of(play(*lines)[0].runs[-1], inventory, consumed, changed_at=T0 + timedelta(seconds=5))


def test_a_recorded_pod_that_is_in_no_list_is_missing() -> None:
    assert proved(LEASED, CREATED) is Absence.MISSING
    assert proved(LEASED, CREATED, pods={"u0": "r0"}) is None


def test_only_its_recorded_pod_stands_for_a_run() -> None:
    assert proved(LEASED, CREATED, pods={"copy": "r0"}) is Absence.MISSING


def test_a_run_without_a_pod_was_not_created() -> None:
    assert proved(LEASED) is Absence.NOT_CREATED
    assert proved(LEASED, pods={"u0": "r0"}) is None
    assert proved(LEASED, pods={"u9": "r9"}) is Absence.NOT_CREATED


@pytest.mark.parametrize("run", [(LEASED,), (LEASED, CREATED)], ids=["without a pod", "with a pod"])
def test_a_list_that_may_be_too_early_proves_nothing(run: tuple[str, ...]) -> None:
    assert proved(*run, listed=5) is None
    assert proved(*run, consumed=EARLIER_SPOOL) is None
    assert proved(*run, consumed=Consumed(published={"s0": 7}, committed={"s0": 6})) is None
    assert proved(*run, consumed=DEAD) is None
    assert proved(*run, cluster="west") is None


def test_nothing_is_concluded_of_a_run_that_ended() -> None:
    assert proved(LEASED, CREATED, "2 failed u0 retry") is None


@given(
    published=st.dictionaries(st.sampled_from("abc"), st.integers(0, 3)),
    committed=st.dictionaries(st.sampled_from("abc"), st.integers(0, 3)),
    more=st.sampled_from("abc"),
)
def test_what_is_proved_stays_proved_when_more_is_committed(
    published: dict[str, int], committed: dict[str, int], more: str
) -> None:
    before = Consumed(published=published, committed=committed)
    later = Consumed(published=published, committed={**committed, more: committed.get(more, 0) + 1})

    if proved(LEASED, CREATED, consumed=before) is not None:
        assert proved(LEASED, CREATED, consumed=later) is Absence.MISSING
