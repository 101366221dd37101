import os
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent.cluster.spool.entries import Forgotten, Held, Known, Released, Report, SpoolEntry
from agent.cluster.spool.file import damaged_spools
from agent.cluster.spool.quota import SpoolFull
from agent.cluster.spool.schema import SpoolError
from agent.cluster.spool.spool import Spool
from agent.telemetry.logs import configure

NOW = datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=UTC)


def open_spool(
    directory: Path, *, cluster: str = "east", max_bytes: int = 1 << 30, keep: int = 100, max_events: int = 1000
) -> Spool:
    path = directory / "spool.db"
    return Spool.open(path, cluster=cluster, max_bytes=max_bytes, keep_acknowledged=keep, max_events=max_events)


def report(event_id: str, *, pod: str = "pod-1", payload: bytes = b"why") -> Report:
    return Report(
        event_id=event_id,
        pod_uid=pod,
        key="job-1",
        payload=payload,
        properties={"event_id": event_id},
        event_time=NOW - timedelta(seconds=1),
    )


@pytest.fixture(name="spool")
def an_open_spool(tmp_path: Path) -> Iterator[Spool]:
    spool = open_spool(tmp_path)
    yield spool
    spool.close()


def sequences(spool: Spool) -> list[int]:
    return [row.sequence for row in spool.unacknowledged(after=0, at_most=1000)]


def test_a_report_comes_back_as_it_went_in(spool: Spool) -> None:
    spool.commit([report("e1")], now=NOW)

    (row,) = spool.unacknowledged(after=0, at_most=10)

    assert (row.sequence, row.key, row.payload, row.properties) == (1, "job-1", b"why", {"event_id": "e1"})
    assert row.event_time == NOW - timedelta(seconds=1)


def test_an_event_is_new_once(spool: Spool) -> None:
    assert spool.commit([report("e1"), report("e1")], now=NOW) == {"e1"}
    assert spool.commit([report("e1"), report("e2")], now=NOW) == {"e2"}
    assert sequences(spool) == [1, 2]


def test_an_event_is_new_once_even_after_it_was_acknowledged_and_trimmed(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, keep=0)
    spool.commit([report("e1")], now=NOW)
    spool.acknowledge([1])

    assert spool.commit([report("e1")], now=NOW) == frozenset()
    spool.close()


def test_rows_come_lowest_first_after_a_number_and_no_more_than_asked(spool: Spool) -> None:
    spool.commit([report(f"e{number}") for number in range(5)], now=NOW)
    spool.acknowledge([2])

    assert [row.sequence for row in spool.unacknowledged(after=1, at_most=2)] == [3, 4]


def test_numbers_are_never_used_again(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, keep=0)
    spool.commit([report("e1"), report("e2")], now=NOW)
    spool.acknowledge([1, 2])
    spool.close()
    spool = open_spool(tmp_path, keep=0)

    spool.commit([report("e3")], now=NOW)

    assert sequences(spool) == [3]
    spool.close()


def test_all_the_broker_has_is_acknowledged_and_counted(spool: Spool) -> None:
    spool.commit([report(f"e{number}") for number in range(4)], now=NOW)
    spool.acknowledge([2])

    assert spool.acknowledge_through(3) == 2
    assert sequences(spool) == [4]
    assert spool.acknowledge_through(3) == 0


def test_a_pod_is_settled_when_the_broker_has_all_its_reports(spool: Spool) -> None:
    settled: list[frozenset[str]] = []
    spool.on_settled(settled.append)
    spool.commit([report("e1"), report("e2"), report("e3", pod="pod-2")], now=NOW)

    spool.acknowledge([1])
    spool.acknowledge([2, 3])

    assert settled == [frozenset(), frozenset({"pod-1", "pod-2"})]
    assert spool.settled(["pod-1", "never-reported"]) == {"pod-1", "never-reported"}


def test_a_rejected_row_is_kept_aside_and_holds_its_pod_no_longer(spool: Spool) -> None:
    settled: list[frozenset[str]] = []
    spool.on_settled(settled.append)
    spool.commit([report("e1"), report("e2", pod="pod-2")], now=NOW)

    spool.reject(1, error="too large")

    assert settled == [frozenset({"pod-1"})]
    assert sequences(spool) == [2]
    assert spool.state().rejected == 1
    assert spool.commit([report("e1")], now=NOW) == frozenset()


def test_renumbering_keeps_order_and_starts_from_one(spool: Spool) -> None:
    spool.commit([report(f"e{number}") for number in range(5)], now=NOW)
    spool.record_sent(5)
    spool.acknowledge([1, 3])

    spool.renumber("fresh")
    spool.commit([report("e9")], now=NOW)

    rows = spool.unacknowledged(after=0, at_most=10)
    assert [(row.sequence, row.properties["event_id"]) for row in rows] == [(1, "e1"), (2, "e3"), (3, "e4"), (4, "e9")]
    assert (spool.spool_id(), spool.highest_sent()) == ("fresh", 0)


def test_a_row_says_which_message_it_follows(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, keep=1)
    for number in range(1, 7):
        spool.commit([report(f"e{number}")], now=NOW)
    assert previous(spool) == [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5)]

    spool.reject(2, error="too large")
    assert previous(spool) == [(1, 0), (3, 1), (4, 3), (5, 4), (6, 5)]
    spool.acknowledge([1, 3, 4])
    assert previous(spool) == [(5, 4), (6, 5)]
    spool.become_standby()
    spool.commit([report("e7"), report("e8")], now=NOW)
    spool.become_leader()
    assert previous(spool) == [(5, 4), (6, 5), (9, 6), (10, 9)]
    spool.acknowledge([5, 6, 9])
    spool.reject(10, error="too large")
    spool.commit([report("e11")], now=NOW)
    assert previous(spool) == [(11, 9)]

    spool.renumber("s2")
    assert previous(spool) == [(1, 0)]
    spool.close()


def previous(spool: Spool) -> list[tuple[int, int | None]]:
    return [(row.sequence, row.previous) for row in spool.unacknowledged(after=0, at_most=1000)]


def test_what_was_sent_only_rises(spool: Spool) -> None:
    spool.record_sent(7)
    spool.record_sent(3)

    assert spool.highest_sent() == 7


def test_pods_and_reports_are_known_until_forgotten_together(spool: Spool) -> None:
    spool.commit(
        [Known(uid="pod-1", entry=b"a"), Known(uid="pod-1", entry=b"b"), Known(uid="pod-2", entry=b"c")], now=NOW
    )
    spool.commit([report("e1")], now=NOW)
    assert [(known.uid, known.entry) for known in spool.known()] == [("pod-1", b"b"), ("pod-2", b"c")]
    assert spool.reported() == {"pod-1": frozenset({"e1"})}

    spool.commit([report("e2"), Forgotten(uid="pod-1")], now=NOW)

    assert [known.uid for known in spool.known()] == ["pod-2"]
    assert spool.reported() == {}
    assert sequences(spool) == [1, 2]


def test_the_state_says_where_the_spool_stands(spool: Spool) -> None:
    spool.commit([report("e1"), report("e2")], now=NOW)
    spool.acknowledge([1])

    state = spool.state()

    assert (state.last_spooled, state.last_acknowledged, state.waiting) == (2, 1, 1)
    assert state.oldest_waiting == NOW
    assert state.bytes > 0
    assert state.spool_id == spool.spool_id() != ""


def test_all_outlives_the_process(tmp_path: Path) -> None:
    first = open_spool(tmp_path)
    first.commit([Known(uid="pod-1", entry=b"a"), report("e1")], now=NOW)
    first.record_sent(1)
    spool_id = first.spool_id()
    first.close()

    again = open_spool(tmp_path)

    assert (again.spool_id(), again.highest_sent(), sequences(again)) == (spool_id, 1, [1])
    assert again.reported() == {"pod-1": frozenset({"e1"})}
    again.close()


def test_every_commit_is_on_disk(spool: Spool) -> None:
    assert spool._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert spool._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_full_spool_refuses_changes_nothing_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=1 << 18, keep=0)
    big = bytes(60_000)
    spool.commit([report(f"e{number}", payload=big) for number in range(2)], now=NOW)

    with pytest.raises(sqlite3.OperationalError, match="full"):
        spool.commit([report(f"f{number}", payload=big) for number in range(4)], now=NOW)
    assert sequences(spool) == [1, 2]
    assert spool.reported() == {"pod-1": frozenset({"e0", "e1"})}

    spool.acknowledge([1, 2])
    spool.commit([report("f0", payload=big)], now=NOW)
    assert sequences(spool) == [3]
    spool.close()


def test_what_is_kept_to_look_back_on_makes_room_for_what_is_new(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=1 << 18, keep=1000)
    big = bytes(60_000)
    for number in range(1, 21):
        assert spool.commit([report(f"e{number}", payload=big)], now=NOW) == {f"e{number}"}
        spool.acknowledge([number])

    spool.commit([report("e21", payload=big)], now=NOW)
    assert sequences(spool) == [21]
    spool.close()


def test_one_process_at_a_time(tmp_path: Path, spool: Spool) -> None:
    with pytest.raises(SpoolError, match=rf"another process uses this spool \(process {os.getpid()}\)"):
        open_spool(tmp_path)
    assert spool.commit([report("e1")], now=NOW) == {"e1"}


def test_a_refused_open_leaves_no_lock(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, cluster="east")
    spool.commit([report("e1")], now=NOW)
    spool.close()
    with pytest.raises(SpoolError, match="belongs to cluster east, not west"):
        open_spool(tmp_path, cluster="west")

    open_spool(tmp_path, cluster="east").close()


def test_a_spool_that_took_nothing_may_change_its_cluster(tmp_path: Path) -> None:
    """A start that was refused, because another cluster owns the topic of this name, is repeated with another name."""
    refused = open_spool(tmp_path, cluster="east")
    refused.bind("uid-1")
    refused.close()

    renamed = open_spool(tmp_path, cluster="west")
    renamed.bind("uid-2")
    renamed.commit([report("e1")], now=NOW)
    renamed.close()

    with pytest.raises(SpoolError, match="belongs to cluster west, not east"):
        open_spool(tmp_path, cluster="east")


@pytest.mark.parametrize(
    "entries",
    [
        [report("e1"), Forgotten(uid="pod-1")],
        [Held(report=report("e1"))],
        [Known(uid="pod-1", entry=b"{}")],
    ],
    ids=["reported and forgotten", "held", "known"],
)
def test_a_spool_that_took_anything_keeps_its_cluster(tmp_path: Path, entries: list[SpoolEntry]) -> None:
    spool = open_spool(tmp_path, cluster="east")
    spool.commit(entries, now=NOW)
    for sequence in sequences(spool):
        spool.acknowledge([sequence])
    spool.close()

    with pytest.raises(SpoolError, match="belongs to cluster east, not west"):
        open_spool(tmp_path, cluster="west")


def test_a_spool_is_bound_to_one_cluster_for_good(spool: Spool) -> None:
    spool.bind("uid-1")
    spool.bind("uid-1")

    with pytest.raises(SpoolError, match="belongs to the cluster with id uid-1, not uid-2"):
        spool.bind("uid-2")


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "spool.db"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE theirs(x)")
    other.close()
    before = file.read_bytes()

    with pytest.raises(SpoolError, match=r"spool\.db: not a spool of failure-agent"):
        open_spool(tmp_path)
    assert file.read_bytes() == before


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "spool.db").write_bytes(b"not a database at all" * 100)

    with pytest.raises(SpoolError, match=r"spool\.db: the spool cannot be read"):
        open_spool(tmp_path)


def test_a_damaged_spool_is_moved_aside_and_said_to_be(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    configure("info", "json")
    spool = open_spool(tmp_path)
    spool.commit([report(f"e{number}", payload=bytes(2000)) for number in range(50)], now=NOW)
    spool.close()
    file = tmp_path / "spool.db"
    content = bytearray(file.read_bytes())
    content[8192 : len(content) - 8192] = b"\xff" * (len(content) - 16384)
    file.write_bytes(content)

    with caplog.at_level("ERROR"):
        again = open_spool(tmp_path)

    assert again.unacknowledged(after=0, at_most=10) == []
    assert again.commit([report("e1")], now=NOW) == {"e1"}
    (aside,) = damaged_spools(file)
    assert (again.state().damaged, aside.read_bytes()) == (1, bytes(content))
    assert "the spool is damaged and was moved aside" in caplog.text
    assert str(aside) in caplog.text
    again.close()


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
def test_a_spool_whose_beginning_is_corrupt_is_moved_aside_as_it_was_ours(tmp_path: Path, content: bytes) -> None:
    spool = open_spool(tmp_path)
    spool.commit([report("e1")], now=NOW)
    spool.close()
    (tmp_path / "spool.db").write_bytes(content)

    again = open_spool(tmp_path)

    assert sequences(again) == []
    assert again.state().damaged == (1 if content else 0)
    again.close()


def test_of_many_damaged_spools_the_last_three_are_kept(tmp_path: Path) -> None:
    for number in range(5):
        open_spool(tmp_path).close()
        (tmp_path / "spool.db").write_bytes(b"spoilt %d" % number * 100)
    open_spool(tmp_path).close()

    kept = damaged_spools(tmp_path / "spool.db")
    assert [each.read_bytes()[:8] for each in kept] == [b"spoilt 2", b"spoilt 3", b"spoilt 4"]


def test_a_full_spool_counts_what_the_broker_does_not_have(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_events=3)
    spool.commit([report("e1"), report("e2"), Known(uid="pod-1", entry=b"")], now=NOW)
    spool.commit([report("e3"), report("e4")], now=NOW)

    with pytest.raises(SpoolFull, match="3 events wait for the broker"):
        spool.commit([report("e5")], now=NOW)
    assert "3 events wait" in (spool.check() or "")
    spool.commit([Known(uid="pod-2", entry=b"")], now=NOW)
    assert sequences(spool) == [1, 2, 3, 4]

    spool.acknowledge([1, 2])
    assert spool.check() is None
    assert spool.commit([report("e5")], now=NOW) == {"e5"}
    spool.close()


def test_what_is_held_and_buffered_counts_too(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_events=2)
    spool.become_standby()
    spool.commit([Held(report=report("e1"))], now=NOW)
    spool.commit([report("e2")], now=NOW)

    with pytest.raises(SpoolFull):
        spool.commit([report("e3")], now=NOW)
    spool.commit([Released(event_id="e1")], now=NOW)
    spool.close()


def test_the_check_writes_to_the_disk_and_sees_another_file_in_its_place(tmp_path: Path, spool: Spool) -> None:
    assert spool.check() is None
    spool._connection.execute("PRAGMA query_only = ON")
    assert "the spool takes nothing: attempt to write a readonly database" in (spool.check() or "")
    spool._connection.execute("PRAGMA query_only = OFF")

    (tmp_path / "spool.db").unlink()
    assert spool.check() == (
        f"the spool {tmp_path}/spool.db was deleted or moved while it was open; "
        "move it back, or restart every process that uses it"
    )
    (tmp_path / "spool.db").touch()
    assert "was replaced by another file while it was open; restart" in (spool.check() or "")


def test_a_later_version_is_not_touched(tmp_path: Path) -> None:
    open_spool(tmp_path).close()
    with sqlite3.connect(tmp_path / "spool.db") as db:
        db.execute("PRAGMA user_version = 9")
    db.close()

    with pytest.raises(SpoolError, match="schema is version 9"):
        open_spool(tmp_path)


def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SpoolError, match="cannot be"):
        Spool.open(tmp_path / "file" / "spool.db", cluster="east", max_bytes=1 << 20, keep_acknowledged=1)
