"""What is kept of the lists of clusters."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection

from agent.store.run_lists import (
    Asked,
    KeptList,
    KeptPage,
    add,
    asked,
    drop_incomplete,
    mark,
    pages,
    record_asked,
    unfinished,
)
from agent.store.run_lists import replace as replace_list
from agent.store.store import Store
from tests.core.lifecycle.made import T0


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def page(number: int, *, of: str = "l1", pages: int = 3, received: float = 0) -> KeptPage:
    return KeptPage(
        list_id=of,
        page=number,
        pages=pages,
        cluster_id="c1",
        payload=b"\xff" + str(number).encode(),
        topic="run-events-east",
        position=str(number),
        received_at=at(received),
    )


def whole(list_id: str, as_of: float | None, *, cluster_id: str = "c1") -> KeptList:
    return KeptList(
        cluster_id=cluster_id,
        cluster="east",
        list_id=list_id,
        as_of=None if as_of is None else at(as_of),
        listed_at=T0,
    )


def keep(connection: Connection, list_id: str, as_of: float | None) -> bool:
    add(connection, page(0, of=list_id, pages=1))
    return replace_list(connection, whole(list_id, as_of))


def kept(connection: Connection) -> list[str]:
    return [found.list_id for found in unfinished(connection)]


def test_a_list_is_whole_when_its_last_page_came_in_any_order_and_once(store: Store) -> None:
    with store.write() as connection:
        assert [add(connection, page(number)) for number in (2, 0, 0, 1, 1)] == [False, False, False, True, False]
        assert pages(connection, "l1") == [page(0), page(1), page(2)]
        assert pages(connection, "l2") == []


@pytest.mark.parametrize(
    ("then", "now", "newer"),
    [(1, 2, True), (2, 1, False), (1, 1, False), (None, 1, True), (1, None, False), (None, None, True)],
)
def test_a_newer_list_takes_the_place_of_an_older_one(
    store: Store, then: float | None, now: float | None, *, newer: bool
) -> None:
    with store.write() as connection:
        assert keep(connection, "l1", then)
        assert keep(connection, "l2", now) is newer
        assert kept(connection) == ["l2" if newer else "l1"]
        assert [len(pages(connection, list_id)) for list_id in ("l1", "l2")] == ([0, 1] if newer else [1, 0])


def test_a_list_that_is_not_whole_is_dropped_by_age(store: Store) -> None:
    with store.write() as connection:
        assert keep(connection, "l1", 1)
        for number, received in enumerate((1, 5)):
            add(connection, page(number, of="l2", received=received))

        assert drop_incomplete(connection, before=at(5)) == 1
        assert [len(pages(connection, list_id)) for list_id in ("l1", "l2")] == [1, 1]


def test_a_list_is_unfinished_until_it_was_examined_and_concluded_from(store: Store) -> None:
    with store.write() as connection:
        keep(connection, "l1", 1)
        found = unfinished(connection)[0]
        mark(connection, replace(found, examined=True))
        assert unfinished(connection) == [replace(found, examined=True)]
        mark(connection, replace(found, list_id="l0", concluded=True))
        assert kept(connection) == ["l1"]
        mark(connection, replace(found, examined=True, concluded=True))
        assert kept(connection) == []


def test_a_request_is_answered_by_a_list_that_is_as_new(store: Store) -> None:
    with store.write() as connection:
        record_asked(connection, ["c1", "c2"], at=at(1))
        record_asked(connection, ["c1"], at=at(5))
        keep(connection, "l1", 4)
        found = asked(connection)
        assert found == {"c1": Asked(asked_at=at(5), as_of=at(4)), "c2": Asked(asked_at=at(1), as_of=None)}
        assert not any(each.answered for each in found.values())

        keep(connection, "l2", 5)
        assert asked(connection)["c1"].answered
