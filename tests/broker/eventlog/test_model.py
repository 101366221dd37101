"""The event log beside the simplest thing that could be right, in any order of events, with the clock in hand."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agent.broker.eventlog import EventLog, LogSettings, Retention
from agent.broker.port import Delivery, Message, Producer, SendOutcome, Subscription, SubscriptionKind
from agent.broker.topics import dead_letter_topic as letters_of

LEASE, NACK = timedelta(seconds=3), timedelta(seconds=1)
KEPT = LogSettings(lease=LEASE, nack=NACK, upkeep=None, retention=Retention(acknowledged=timedelta(seconds=2)))
TOPICS = ("t1", "t2")
NAMES = st.sampled_from(["a", "b"])
WHICH = st.integers(0, 3)
TOPIC = st.sampled_from(["t1", "t1", "t1", "t2"])
HOW = st.sampled_from(["ack", "nack", "bury"])
STEP = st.sampled_from([1, 1, 1, 1, 2, 0, -2])


@dataclass
class Worker:
    """A consumer in a process of its own, with what it has in hand, and what it still holds from before it stalled."""

    log: EventLog
    subscription: Subscription
    last_sign: datetime
    hand: list[Delivery] = field(default_factory=list)
    stale: list[Delivery] = field(default_factory=list)


class EventLogMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.log = self.process()
        self.sent: dict[str, list[tuple[str, bytes]]] = {topic: [] for topic in TOPICS}
        self.highest: dict[tuple[str, str], int] = {}
        self.producers: dict[tuple[str, str], Producer] = {}
        self.workers: list[Worker] = []
        self.killed: list[Worker] = []
        self.settled: set[tuple[str, bytes]] = set()
        self.buried: list[bytes] = []
        self.bodies = 0

    def process(self) -> EventLog:
        return EventLog.open(str(self.folder / "log.db"), settings=KEPT, clock=lambda: self.now)

    @initialize(kind=st.sampled_from(SubscriptionKind), keys=st.text("xy", max_size=12), workers=st.integers(1, 3))
    def begin(self, kind: SubscriptionKind, keys: str, workers: int) -> None:
        self.kind = kind
        for topic in TOPICS:
            self.log.ensure_subscription(topic, "s")
        self.send_several("t1", "a", keys, 1)
        for _ in range(workers):
            self.start_worker()

    @rule(topic=TOPIC, name=NAMES, keys=st.text("xy", min_size=1, max_size=4), step=STEP)
    def send_several(self, topic: str, name: str, keys: str, step: int) -> None:
        for key in keys:
            self.send(topic, name, key, step)

    def send(self, topic: str, name: str, key: str, step: int) -> None:
        at = (topic, name)
        producer = self.producers.get(at) or self.log.producer(topic, name=name)
        self.producers[at] = producer
        sequence = max(1, self.highest.get(at, 0) + step)
        self.bodies += 1
        body = f"{key}{self.bodies}".encode()
        outcomes: list[object] = []
        producer.send(Message(key=key, payload=body), sequence_id=sequence, done=outcomes.append)
        producer.flush(20)
        new = sequence > self.highest.get(at, -1)
        assert outcomes == [SendOutcome.STORED if new else SendOutcome.DUPLICATE]
        if new:
            self.highest[at] = sequence
            self.sent[topic].append((key, body))
        assert producer.last_sequence_id() == self.highest[at]

    @rule(topic=TOPIC, name=NAMES)
    def restart_producer(self, topic: str, name: str) -> None:
        old = self.producers.pop((topic, name), None)
        if old is not None:
            old.close()
        producer = self.log.producer(topic, name=name)
        assert producer.last_sequence_id() == self.highest.get((topic, name), -1)
        self.producers[topic, name] = producer

    @precondition(lambda self: len(self.workers) < 3)
    @rule()
    def start_worker(self) -> None:
        log = self.process()
        subscription = log.subscribe(TOPICS, name="s", kind=self.kind, consumer=f"w{len(self.workers)}")
        self.workers.append(Worker(log, subscription, self.now))

    @precondition(lambda self: self.workers)
    @rule(which=WHICH, at_most=st.integers(1, 5))
    def receive(self, which: int, at_most: int) -> None:
        worker = self.worker(which)
        got = worker.subscription.receive(at_most=at_most, timeout=0)
        assert len(got) <= at_most
        for one in got:
            self.check_delivery(worker, one)
            worker.hand.append(one)
        if got:
            worker.last_sign = self.now

    def check_delivery(self, worker: Worker, given: Delivery) -> None:
        at = (given.topic, given.message.payload)
        key = (given.topic, given.message.key)
        assert (given.message.key, given.message.payload) in self.sent[given.topic]
        assert at not in self.settled, "what is settled came back"
        for other in self.workers:
            if other is not worker and self.lives(other):
                in_hand = {(one.topic, one.message.key) for one in other.hand}
                assert key not in in_hand, "two consumers have messages of one key"
        waiting = [body for sent_key, body in self.sent[given.topic] if sent_key == given.message.key]
        before = [
            body for body in waiting[: waiting.index(given.message.payload)] if (given.topic, body) not in self.settled
        ]
        in_own_hand = {one.message.payload for one in worker.hand + worker.stale if one.topic == given.topic}
        assert set(before) <= in_own_hand, "an earlier message of the key was passed over"

    @precondition(lambda self: any(worker.hand for worker in self.workers))
    @rule(which=WHICH, count=st.integers(1, 3), how=HOW)
    def settle_what_is_in_hand(self, which: int, count: int, how: str) -> None:
        worker = self.holder(which)
        given, worker.hand = worker.hand[:count], worker.hand[count:]
        self.end(worker, given, how)

    @precondition(lambda self: any(worker.stale for worker in self.workers))
    @rule(which=WHICH, how=HOW)
    def settle_what_is_stale(self, which: int, how: str) -> None:
        """A consumer that stalled past its lease wakes up and ends what it began; somebody else may have done so."""
        holders = [worker for worker in self.workers if worker.stale]
        worker = holders[which % len(holders)]
        stale, worker.stale = worker.stale, []
        self.end(worker, stale, how)

    def end(self, worker: Worker, given: Sequence[Delivery], how: str) -> None:
        if how == "ack":
            worker.subscription.ack(given)
            self.settle(given)
        elif how == "nack":
            worker.subscription.nack(given)
        else:
            for one in given:
                self.bury(worker, one)

    def bury(self, worker: Worker, given: Delivery) -> None:
        if (given.topic, given.message.payload) not in self.settled:
            self.buried.append(given.message.payload)
        worker.subscription.dead_letter(given, error="bad")
        self.settle([given])

    @precondition(lambda self: any(worker.hand for worker in self.workers))
    @rule(which=WHICH)
    def stall_worker(self, which: int) -> None:
        """It gives no sign for longer than its lease, and does not know."""
        worker = self.holder(which)
        worker.stale, worker.hand = worker.stale + worker.hand, []
        self.now += LEASE + timedelta(milliseconds=1)
        for other in self.workers:
            if other is not worker:
                self.sign(other)

    @precondition(lambda self: self.workers)
    @rule(which=WHICH, killed=st.booleans())
    def lose_worker(self, which: int, *, killed: bool) -> None:
        """It leaves; or its process is gone, and somebody must come and find its lease expired."""
        worker = self.worker(which)
        self.workers.remove(worker)
        if killed:
            self.killed.append(worker)
            self.now += LEASE + timedelta(milliseconds=1)
            for other in self.workers:
                self.sign(other)
        else:
            worker.subscription.close()
            worker.log.close()

    @rule(seconds=st.sampled_from([0.1, 0.9, 1.1, 2.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        self.log.trim()
        for worker in self.workers:
            self.sign(worker)

    @invariant()
    def dead_letters_are_kept(self) -> None:
        letters = [name for topic in TOPICS for name in self.log.topics(letters_of(topic, "s"))]
        assert bool(letters) == bool(self.buried)

    def teardown(self) -> None:
        """In the end everything that was sent, and not settled, comes to a consumer that stays."""
        self.now += LEASE + NACK + timedelta(seconds=1)
        for worker in [*self.workers, *self.killed]:
            worker.log.close()
        if hasattr(self, "kind"):
            self.drain()
        self.log.close()
        shutil.rmtree(self.folder)

    def drain(self) -> None:
        last = self.log.subscribe(TOPICS, name="s", kind=self.kind, consumer="last")
        while batch := last.receive(at_most=100, timeout=0):
            last.ack(batch)
            assert not {(one.topic, one.message.payload) for one in batch} & self.settled
            self.settle(batch)
        assert self.settled == {(topic, body) for topic, sent in self.sent.items() for _, body in sent}
        self.drain_letters()

    def drain_letters(self) -> None:
        places = [letters_of(topic, "s") for topic in TOPICS]
        people = self.log.subscribe(places, name="people", kind=SubscriptionKind.FAILOVER, consumer="p")
        found = people.receive(at_most=1000, timeout=0)
        assert sorted(one.message.payload for one in found) == sorted(self.buried)

    def worker(self, which: int) -> Worker:
        return self.workers[which % len(self.workers)]

    def holder(self, which: int) -> Worker:
        holders = [worker for worker in self.workers if worker.hand]
        return holders[which % len(holders)]

    def lives(self, worker: Worker) -> bool:
        return self.now - worker.last_sign <= LEASE

    def sign(self, worker: Worker) -> None:
        worker.log.upkeep()
        worker.last_sign = self.now

    def settle(self, done: Sequence[Delivery]) -> None:
        self.settled |= {(one.topic, one.message.payload) for one in done}


EventLogMachine.TestCase.settings = settings(stateful_step_count=50)
TestEventLogModel = pytest.mark.slow(EventLogMachine.TestCase)
