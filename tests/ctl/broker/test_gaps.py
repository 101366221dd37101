"""Which messages are missing, as ``failctl broker gaps`` shows them."""

import io
import json
from datetime import timedelta
from pathlib import Path

import pytest

from agent.console.exits import Exit, UnreachableError
from agent.ctl.broker.gaps import GapsRequest, list_gaps
from agent.ctl.destination import StoreAddress
from agent.store import sequences
from agent.store.sequences import ConsumedRange
from agent.store.store import Store
from tests.core.lifecycle.made import T0
from tests.store.databases import new_store


@pytest.fixture
def where(tmp_path: Path) -> StoreAddress:
    return StoreAddress(url=new_store(tmp_path))


def missing(where: StoreAddress, *, lost: bool) -> None:
    consumed = ConsumedRange(
        topic="run-events-east", spool_id="s1", ranges=((0, 3), (5, 6), (8, 9)), position="p", at=T0
    )
    with Store.open(where.url or "") as store, store.write() as connection:
        sequences.record(connection, [consumed])
        sequences.join(connection)
        if lost:
            first = sequences.gaps(connection)[:1]
            sequences.mark_lost(connection, first, now=T0 + timedelta(seconds=1))


def listed(request: GapsRequest) -> tuple[Exit, str]:
    out = io.StringIO()
    return list_gaps(request, environ={}, out=out), out.getvalue()


def test_nothing_is_missing(where: StoreAddress) -> None:
    assert listed(GapsRequest(where=where)) == (Exit.FINE, "No messages are missing.\n")
    assert listed(GapsRequest(where=where, output="json")) == (Exit.FINE, "[]\n")


def test_what_is_missing_is_named(where: StoreAddress) -> None:
    missing(where, lost=True)

    assert listed(GapsRequest(where=where)) == (
        Exit.FINDING,
        (
            "TOPIC            SPOOL  FIRST  LAST  STATE       SENT BEFORE\n"
            "run-events-east  s1         4     5  lost        2026-11-26 00:00:00 UTC\n"
            "run-events-east  s1         7     8  on its way  2026-11-26 00:00:00 UTC\n"
        ),
    )
    code, told = listed(GapsRequest(where=where, output="json"))
    assert code is Exit.FINDING
    assert json.loads(told)[0] == {
        "topic": "run-events-east",
        "spool": "s1",
        "first": 4,
        "last": 5,
        "state": "lost",
        "sentBefore": "2026-11-26T00:00:00+00:00",
        "lostAt": "2026-11-26T00:00:01+00:00",
    }


def test_what_is_on_its_way_is_no_finding(where: StoreAddress) -> None:
    missing(where, lost=False)

    assert listed(GapsRequest(where=where))[0] is Exit.FINE


def test_a_store_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="there is no store"):
        listed(GapsRequest(where=StoreAddress(url=f"sqlite:///{tmp_path}/none.db")))
