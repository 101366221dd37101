"""A course of chaos: messages come twice and in any order, while Lookouts and their database fail again and again.

What is stored at the end is what a second Lookout stores that reads each topic once, in order, and what a third one
stores to which each message comes once, in the order in which things happened.
"""

import os
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

from agent.broker.port import Broker, Delivery
from agent.broker.topics import dead_letter_topic
from agent.lookout.ingest.messages import read
from agent.lookout.ingest.topics import SUBSCRIPTION
from agent.lookout.store.entries import Entry
from agent.lookout.store.opening import attach_store, open_store
from agent.lookout.store.recording import record
from agent.wire.error import WireError
from tests.lookout.chaos.story import TOPICS, Sent, delivered
from tests.lookout.process import Rows, assert_counted, rows
from tests.scheduler.path import delivery, publish, wait_until

Blows = Mapping[str, Callable[[], AbstractContextManager[None]]]
"""What can fail, by name: it fails on entering or on leaving, and works again afterwards."""

_BATCH: Final = 500
_LONGEST: Final = 0.7
"""Seconds between a share of the messages and what fails then."""


def drawn_seed() -> int:
    """The seed of a course, printed, so that the course can be played again."""
    seed = int(os.environ.get("LOOKOUT_SEED") or secrets.randbelow(10**9))
    sys.stdout.write(f"LOOKOUT_SEED={seed} plays this course again\n")
    return seed


@dataclass(frozen=True, kw_only=True)
class Course:
    """``url`` is the address of the database, past all that fails; ``folder`` is for a second one."""

    draw: Random
    broker: Broker
    url: str
    folder: Path
    blows: Blows

    def play(self, story: Sequence[Sent], *, strikes: int) -> None:
        """Send a share of the messages while each blow lasts, and the rest after the last."""
        sent = delivered(self.draw, story)
        shares = [sent[number :: strikes + 1] for number in range(strikes + 1)]
        for share in shares[1:]:
            name = self.draw.choice([*self.blows])
            sys.stdout.write(f"{name}\n")
            with self.blows[name]():
                send(self.broker, share)
                time.sleep(self.draw.uniform(0, _LONGEST))
            self._assert_counted()
        send(self.broker, shares[0])

    def _assert_counted(self) -> None:
        with attach_store(self.url) as store:
            assert_counted(store)

    def assert_as_if_nothing_had_failed(self, story: Sequence[Sent]) -> None:
        """Wait until the rows are those of the others, and what they refused is among the dead letters."""
        expected, refused = stored_in_order(self.broker, story, self.folder)
        wait_until(lambda: {*dead_letters(self.broker)} == refused)
        try:
            wait_until(lambda: self._rows() == expected)
        except AssertionError:
            found = self._rows()
            assert found == expected
        self._assert_counted()

    def _rows(self) -> Rows:
        with attach_store(self.url) as store:
            return rows(store)


def send(broker: Broker, messages: Sequence[Sent]) -> None:
    for topic in TOPICS:
        publish(broker, [sent.message for sent in messages if sent.topic == topic], topic=topic)


def stored_in_order(broker: Broker, story: Sequence[Sent], folder: Path) -> tuple[Rows, set[bytes]]:
    """What those store to which nothing happens, and the payloads that they refuse, of which there are some."""
    happened = (replace(delivery(sent.message), topic=sent.topic) for sent in story)
    by_story, by_topics = _stored(happened, folder / "story.db"), _stored(_retained(broker), folder / "topics.db")
    assert by_story == by_topics
    assert by_topics[1]
    return by_topics


def _stored(deliveries: Iterable[Delivery], file: Path) -> tuple[Rows, set[bytes]]:
    entries, refused = list[Entry](), set[bytes]()
    for received in deliveries:
        try:
            entry = read(received)
        except WireError:
            refused.add(received.message.payload)
        else:
            assert entry is not None
            entries.append(entry)
    with open_store(f"sqlite:///{file}") as store:
        for start in range(0, len(entries), _BATCH):
            with store.write() as connection:
                record(connection, entries[start : start + _BATCH])
        return rows(store), refused


def _retained(broker: Broker) -> Iterator[Delivery]:
    for topic in TOPICS:
        with closing(broker.reader(topic)) as reader:
            while found := reader.read(at_most=_BATCH):
                yield from found


def dead_letters(broker: Broker) -> list[bytes]:
    """The payloads of all of Lookout's."""
    found = list[bytes]()
    for topic in (dead_letter_topic(topic, SUBSCRIPTION) for topic in TOPICS):
        if topic in broker.topics(topic):
            with closing(broker.dead_letters(topic)) as dead:
                found += [dead_letter.delivery.message.payload for dead_letter in dead.read()]
    return found
