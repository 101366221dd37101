from datetime import UTC, datetime, timedelta

from agent.cluster.pods.backlog import Backlog

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=5)


def test_a_pod_waits_once_from_its_first_news_until_it_is_reconciled() -> None:
    backlog = Backlog()
    for minute, uid in enumerate(["a", "b", "a"]):
        backlog.add(uid, now=NOON + timedelta(minutes=minute))

    assert (len(backlog), backlog.seen_through(LATER)) == (2, NOON)
    assert list(backlog.take()) == ["a", "b"]
    assert (len(backlog), backlog.has_waiting, backlog.seen_through(LATER)) == (2, False, NOON)
    assert list(backlog.take()) == []

    backlog.discard("a")
    assert backlog.seen_through(LATER) == NOON + timedelta(minutes=1)
    backlog.discard("b")
    backlog.discard("never there")
    assert (len(backlog), backlog.seen_through(LATER)) == (0, LATER)


def test_a_pod_that_was_fetched_and_is_deferred_again_keeps_its_time() -> None:
    backlog = Backlog()
    backlog.add("a", now=NOON)
    list(backlog.take())

    backlog.add("a", now=LATER)

    assert (backlog.has_waiting, backlog.seen_through(LATER), len(backlog)) == (True, NOON, 1)


def test_a_pod_that_goes_while_others_are_taken_is_not_taken() -> None:
    backlog = Backlog()
    backlog.add("a", now=NOON)
    backlog.add("b", now=NOON)
    taking = backlog.take()
    assert next(taking) == "a"

    backlog.discard("b")

    assert list(taking) == []
