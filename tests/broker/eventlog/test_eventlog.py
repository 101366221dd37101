import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

import pytest

from agent.broker.eventlog import EventLog, LogSettings, Retention, UnusableLog
from agent.broker.eventlog.database import _ensure_schema
from agent.broker.eventlog.slots import SLOTS, slot_of, slots_of
from agent.broker.port import BrokerError, Fenced, Message, SendOutcome, Subscription, SubscriptionKind, Unreachable
from agent.broker.topics import dead_letter_topic
from tests.broker.contract import Sender, numbers, payloads, take

KEY_SHARED = SubscriptionKind.KEY_SHARED
FAILOVER = SubscriptionKind.FAILOVER


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "log.db")


@pytest.fixture
def process(path: str, clock: Clock) -> Iterator[Callable[[], EventLog]]:
    """Opens the log as another process would; renews no lease and drops nothing by itself."""
    kept = LogSettings(
        lease=timedelta(seconds=3),
        nack=timedelta(seconds=1),
        upkeep=None,
        retention=Retention(acknowledged=timedelta(seconds=60), unsubscribed=timedelta(hours=1)),
    )
    opened: list[EventLog] = []

    def open_log() -> EventLog:
        opened.append(EventLog.open(path, settings=kept, clock=clock))
        return opened[-1]

    yield open_log
    for one in opened:
        one.close()


def now(subscription: Subscription, at_most: int = 100) -> list[str]:
    return payloads(subscription.receive(at_most=at_most, timeout=0))


def kept(path: str) -> int:
    connection = sqlite3.connect(path)
    count = connection.execute("SELECT count(*) FROM message").fetchone()[0]
    connection.close()
    return int(count)


def test_a_silent_consumers_messages_go_to_another_when_its_lease_ends(
    process: Callable[[], EventLog], clock: Clock
) -> None:
    Sender(process().producer("t", name="a")).send_all(*range(1, 6))
    silent = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="silent")
    assert now(silent) == numbers(1, 5)
    other = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="other")

    clock.advance(2.9)
    assert now(other) == []
    other_log = process()
    other_log.upkeep()
    clock.advance(0.2)
    back = other.receive(at_most=100, timeout=0)

    assert payloads(back) == numbers(1, 5)
    assert {one.redeliveries for one in back} == {1}


def test_a_clock_that_is_set_back_holds_no_message_back(process: Callable[[], EventLog], clock: Clock) -> None:
    Sender(process().producer("t", name="a")).send_all(*range(1, 4))
    dead = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="dead")
    assert now(dead, 2) == numbers(1, 2)
    other = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="other")
    clock.advance(-86400)

    back = other.receive(at_most=100, timeout=0)
    assert payloads(back) == numbers(1, 3)

    other.nack(back)
    clock.advance(-86400)
    assert now(other) == numbers(1, 3)


def test_a_consumer_that_shows_signs_of_life_keeps_its_messages(process: Callable[[], EventLog], clock: Clock) -> None:
    Sender(process().producer("t", name="a")).send_all(1, 2)
    living_log = process()
    living = living_log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="living")
    now(living)
    other = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="other")

    for _ in range(5):
        clock.advance(2)
        living_log.upkeep()
        assert now(other) == []


def test_a_consumer_whose_lease_ended_joins_again_by_itself(process: Callable[[], EventLog], clock: Clock) -> None:
    sender = Sender(process().producer("t", name="a"))
    slow = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="slow")
    other = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="other")
    clock.advance(4)
    assert now(other) == []
    other.close()
    sender.send_all(1)

    assert now(slow) == ["1"]


def test_an_acknowledgement_after_the_lease_still_counts(process: Callable[[], EventLog], clock: Clock) -> None:
    Sender(process().producer("t", name="a")).send_all(1)
    slow = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="slow")
    held = slow.receive(at_most=1, timeout=0)
    clock.advance(4)
    other = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="other")
    slow.ack(held)

    assert now(other) == []


def test_two_consumers_bury_one_message_once(process: Callable[[], EventLog], clock: Clock) -> None:
    Sender(process().producer("t", name="a")).send_all(1)
    slow = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="slow")
    (held,) = slow.receive(at_most=1, timeout=0)
    clock.advance(4)
    other = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="other")
    (again,) = other.receive(at_most=1, timeout=0)

    other.dead_letter(again, error="bad")
    slow.dead_letter(held, error="bad")

    place = dead_letter_topic("t", "s")
    people = process().subscribe([place], name="p", kind=FAILOVER, consumer="p")
    assert now(people) == ["1"]


def test_a_nacked_message_comes_back_after_the_delay_and_holds_back_its_key(
    process: Callable[[], EventLog], clock: Clock
) -> None:
    sender = Sender(process().producer("t", name="a"))
    sender.send_all(1, 2, key="k")
    sender.send_all(3, key="other")
    subscription = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")
    subscription.nack(subscription.receive(at_most=1, timeout=0))

    assert now(subscription) == ["3"]
    clock.advance(1.1)
    assert now(subscription) == ["1", "2"]


def test_one_subscription_is_not_consumed_in_two_ways(process: Callable[[], EventLog], clock: Clock) -> None:
    first = process().subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c1")

    with pytest.raises(BrokerError, match="c1 consumes this subscription as key-shared, not failover"):
        process().subscribe(["t"], name="s", kind=FAILOVER, consumer="c2")
    first.close()
    assert now(process().subscribe(["t"], name="s", kind=FAILOVER, consumer="c2")) == []
    clock.advance(0)


def test_a_plain_producer_is_refused_while_the_topic_is_held(process: Callable[[], EventLog]) -> None:
    process().producer("t", name="a", exclusive=True)

    with pytest.raises(Fenced, match="another producer holds t exclusively"):
        process().producer("t", name="b")


def test_a_later_producer_of_the_same_name_fences_the_earlier(process: Callable[[], EventLog]) -> None:
    zombie = Sender(process().producer("t", name="a"))
    zombie.send_all(1)
    successor = Sender(process().producer("t", name="a"))

    (refused,) = zombie.send_all(2)

    assert isinstance(refused, Fenced)
    assert successor.send_all(2) == [SendOutcome.STORED]


def test_once_a_send_has_failed_none_after_it_is_stored(process: Callable[[], EventLog]) -> None:
    sender = Sender(process().producer("t", name="a"))
    sender.send_all(1)
    process().producer("t", name="a")
    sender.send_all(2)

    with pytest.raises(Fenced):
        sender.send(3)


@pytest.mark.parametrize("sequence", [0, -1])
def test_a_sequence_below_one_is_a_mistake(process: Callable[[], EventLog], sequence: int) -> None:
    with pytest.raises(ValueError, match="start at 1"):
        Sender(process().producer("t", name="a")).send(sequence)


def test_a_key_that_is_no_text_is_refused_and_harms_nobody(process: Callable[[], EventLog]) -> None:
    sender = Sender(process().producer("t", name="a"))
    with pytest.raises(UnicodeEncodeError):
        sender.send(1, key="\ud800")

    assert sender.send_all(2) == [SendOutcome.STORED]


def test_a_callback_that_raises_harms_nobody(process: Callable[[], EventLog]) -> None:
    producer = process().producer("t", name="a")

    def raises(_: object) -> None:
        raise RuntimeError("a mistake")

    producer.send(Message(key="k", payload=b"1"), sequence_id=1, done=raises)

    assert Sender(producer).send_all(2) == [SendOutcome.STORED]


def test_closing_a_producer_ends_what_waits(process: Callable[[], EventLog]) -> None:
    producer = process().producer("t", name="a")
    at_first, go_on = Event(), Event()
    ended: list[object] = []

    def hold(outcome: object) -> None:
        ended.append(outcome)
        at_first.set()
        go_on.wait(20)

    producer.send(Message(key="k", payload=b"1"), sequence_id=1, done=hold)
    assert at_first.wait(20)
    for sequence in range(2, 5):
        producer.send(Message(key="k", payload=b"x"), sequence_id=sequence, done=ended.append)
    with pytest.raises(Unreachable, match="4 sends have not ended"):
        producer.flush(0.01)
    closer = Thread(target=producer.close)
    closer.start()
    while not isinstance(_refusal(producer.send), Unreachable):
        pass
    go_on.set()
    closer.join(20)

    assert ended[0] is SendOutcome.STORED
    assert [type(one) for one in ended[1:]] == [Unreachable] * 3


def _refusal(send: Callable[..., None]) -> BrokerError | None:
    try:
        send(Message(key="k", payload=b"late"), sequence_id=1, done=lambda _: None)
    except BrokerError as error:
        return error
    return None


def test_acknowledged_messages_are_dropped_in_time_others_never(
    process: Callable[[], EventLog], clock: Clock, path: str
) -> None:
    log = process()
    for name in ("s", "t"):
        log.ensure_subscription("t", name)
    Sender(log.producer("t", name="a")).send_all(*range(1, 6))
    first = log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")
    second = log.subscribe(["t"], name="t", kind=KEY_SHARED, consumer="c")
    take(first, 5)
    take(second, 2)
    clock.advance(59)
    assert log.trim() == 0

    clock.advance(2)
    assert log.trim() == 2

    assert kept(path) == 3
    assert payloads(take(second, 3)) == numbers(3, 5)
    assert log.trim() == 3
    assert Sender(log.producer("t", name="a")).send_all(5, 6) == [SendOutcome.DUPLICATE, SendOutcome.STORED]


def test_messages_nobody_subscribed_to_have_their_own_time(
    process: Callable[[], EventLog], clock: Clock, path: str
) -> None:
    log = process()
    Sender(log.producer("t", name="a")).send_all(1)
    clock.advance(3599)
    assert log.trim() == 0
    clock.advance(2)
    assert log.trim() == 1
    assert kept(path) == 0


def test_by_default_what_nobody_read_is_kept_for_ever(path: str, clock: Clock) -> None:
    log = EventLog.open(path, settings=LogSettings(upkeep=None), clock=clock)
    log.ensure_subscription("t", "s")
    Sender(log.producer("t", name="a")).send_all(1)
    Sender(log.producer(dead_letter_topic("t", "s"), name="a")).send_all(1)
    clock.advance(10 * 365 * 86400)

    assert log.trim() == 0
    log.close()


def test_by_default_what_nobody_subscribed_to_does_not_fill_the_disk(path: str, clock: Clock) -> None:
    log = EventLog.open(path, settings=LogSettings(upkeep=None), clock=clock)
    Sender(log.producer("heartbeats", name="a")).send_all(*range(1, 11))
    clock.advance(86401)

    assert log.trim() == 10
    assert kept(path) == 0
    log.close()


def test_an_age_for_any_message_drops_even_what_waits(path: str, clock: Clock) -> None:
    settings = LogSettings(upkeep=None, retention=Retention(any=timedelta(days=7)))
    log = EventLog.open(path, settings=settings, clock=clock)
    log.ensure_subscription("t", "s")
    Sender(log.producer("t", name="a")).send_all(1)
    clock.advance(8 * 86400)

    assert log.trim() == 1
    assert now(log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")) == []
    log.close()


@pytest.mark.slow
def test_leases_are_renewed_without_being_asked(path: str) -> None:
    settings = LogSettings(lease=timedelta(milliseconds=1500), upkeep=timedelta(milliseconds=50))
    log = EventLog.open(path, settings=settings)
    Sender(log.producer("t", name="a")).send_all(1)
    holder = log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="holder")
    take(holder, 1, ack=False)
    other = log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="other")

    assert payloads(other.receive(at_most=1, timeout=2.5)) == []
    log.close()


def test_another_schema_is_refused_with_both_versions(path: str) -> None:
    EventLog.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=7")
    connection.close()

    with pytest.raises(UnusableLog, match="has schema version 7, this program reads version 2"):
        EventLog.open(path)


def test_a_log_that_another_process_creates_meanwhile_is_no_database_of_something_else(path: str) -> None:
    """It is created between two looks at the file, of which the first finds it empty."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    looks: list[str] = []

    def create_after_the_first(statement: str) -> None:
        looks.append(statement)
        if "user_version" in statement and sum("user_version" in look for look in looks) == 1:
            EventLog.open(path).close()

    connection.set_trace_callback(create_after_the_first)
    _ensure_schema(connection, path)
    connection.close()

    EventLog.open(path).close()


def test_a_database_of_something_else_is_refused_and_left_alone(path: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()

    with pytest.raises(UnusableLog, match="a database of something else"):
        EventLog.open(path)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("bookmarks",)]
    connection.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "log.db"
    file.write_bytes(b"this is not a database, it only has the name of one\n" * 40)

    with pytest.raises(UnusableLog, match="damaged or not an event log"):
        EventLog.open(str(file))


def test_a_damaged_log_says_so_when_it_is_met(path: str) -> None:
    log = EventLog.open(path)
    Sender(log.producer("t", name="a")).send_all(*range(1, 400), payload=b"x" * 500)
    log.close()
    file = Path(path)
    content = file.read_bytes()
    file.write_bytes(content[: 4096 * 3] + b"\xff" * (len(content) - 4096 * 3))

    with pytest.raises(UnusableLog, match="damaged"):
        EventLog.open(path).subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")


def test_a_log_whose_file_was_taken_away_is_unreachable(path: str, tmp_path: Path) -> None:
    log = EventLog.open(path)
    log.ping()
    Path(path).rename(tmp_path / "moved.db")
    with pytest.raises(Unreachable, match=r"was deleted or moved while it was open; move it back, or restart"):
        log.ping()
    EventLog.open(path).close()
    with pytest.raises(Unreachable, match="replaced by another file"):
        log.ping()
    log.close()


def test_nothing_is_stored_in_a_file_that_was_moved_away(
    process: Callable[[], EventLog], path: str, tmp_path: Path
) -> None:
    sender = Sender(process().producer("t", name="a"))
    sender.send_all(1)
    Path(path).rename(tmp_path / "moved.db")

    (ended,) = sender.send_all(2)

    assert isinstance(ended, Unreachable), ended
    (tmp_path / "moved.db").rename(path)
    assert kept(path) == 1


def test_nothing_is_stored_in_a_file_that_was_replaced(process: Callable[[], EventLog], path: str) -> None:
    sender = Sender(process().producer("t", name="a"))
    for file in Path(path).parent.glob("log.db*"):
        file.unlink()
    EventLog.open(path).close()

    (ended,) = sender.send_all(1)

    assert isinstance(ended, Unreachable), ended
    assert "was replaced by another file" in str(ended)


def test_no_new_file_is_made_for_one_that_was_taken_away(
    process: Callable[[], EventLog], path: str, tmp_path: Path
) -> None:
    log = process()
    Path(path).rename(tmp_path / "moved.db")

    for use in (
        lambda: log.producer("t", name="a"),
        lambda: log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c"),
        lambda: log.claim("t", owner="me"),
        lambda: log.topics("t"),
        log.ping,
    ):
        with pytest.raises(Unreachable, match="was deleted or moved"):
            use()
    assert not Path(path).exists()


def test_a_file_that_is_moved_back_is_used_again(process: Callable[[], EventLog], path: str, tmp_path: Path) -> None:
    log = process()
    Path(path).rename(tmp_path / "moved.db")
    with pytest.raises(Unreachable):
        log.claim("t", owner="me")

    (tmp_path / "moved.db").rename(path)

    assert Sender(log.producer("t", name="a")).send_all(1) == [SendOutcome.STORED]


def test_a_consumer_of_a_file_that_was_taken_away_receives_and_acknowledges_nothing(
    process: Callable[[], EventLog], path: str, tmp_path: Path
) -> None:
    log = process()
    subscription = log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")
    Sender(log.producer("t", name="a")).send_all(1, 2)
    given = subscription.receive(at_most=1, timeout=0)
    Path(path).rename(tmp_path / "moved.db")

    with pytest.raises(Unreachable, match="was deleted or moved"):
        subscription.ack(given)
    with pytest.raises(Unreachable, match="was deleted or moved"):
        subscription.receive(at_most=1, timeout=0)


def test_a_closed_subscription_says_so(path: str) -> None:
    log = EventLog.open(path)
    subscription = log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")
    log.close()

    with pytest.raises(Unreachable, match="closed"):
        subscription.receive(at_most=1, timeout=0)


def test_a_delivery_of_another_broker_is_refused(path: str) -> None:
    log = EventLog.open(path)
    Sender(log.producer("t", name="a")).send_all(1)
    subscription = log.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")
    (given,) = take(subscription, 1, ack=False)
    object.__setattr__(given, "token", "another broker's")

    with pytest.raises(TypeError, match="another broker"):
        subscription.ack([given])
    log.close()


def test_when_a_consumer_comes_only_its_slots_change_hands() -> None:
    before = {one: slots_of(one, (1, 2, 3)) for one in (1, 2, 3)}
    after = {one: slots_of(one, (1, 2, 3, 4)) for one in (1, 2, 3, 4)}

    assert frozenset().union(*before.values()) == frozenset(range(SLOTS)) == frozenset().union(*after.values())
    assert sum(map(len, before.values())) == sum(map(len, after.values())) == SLOTS
    assert all(after[one] <= before[one] for one in (1, 2, 3))
    assert min(map(len, after.values())) > SLOTS // 8


def test_a_keys_slot_is_part_of_the_file() -> None:
    assert [slot_of(key) for key in ("", "job-1", "ü")] == [46, 32, 52]
