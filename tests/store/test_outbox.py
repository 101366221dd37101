"""Messages get numbers without a gap in the order in which they were written; those that the broker has are deleted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from agent.store import outbox
from agent.store.outbox import NewMessage, NumberedMessage, Numbering
from agent.store.store import Store
from tests.store.databases import rolled_back
from tests.store.events import START

TOPICS: Final = ("run-commands-east", "run-commands-west")


def message(topic: str, text: str) -> NewMessage:
    return NewMessage(topic=topic, key=f"k{text}", payload=text.encode(), properties={"n": text})


def as_numbered(sequence: int, text: str) -> NumberedMessage:
    return NumberedMessage(
        sequence=sequence, key=f"k{text}", payload=text.encode(), properties={"n": text}, written_at=START
    )


@dataclass
class Topic:
    """What a topic must hold: texts without a number, with one, and rejected ones."""

    spool: str = "s0"
    waits: list[str] = field(default_factory=list)
    numbered: dict[int, str] = field(default_factory=dict)
    rejected: list[str] = field(default_factory=list)
    last: int = 0
    sent: int = 0
    acknowledged: int = 0

    def number(self, at_most: int) -> None:
        for text in self.waits[:at_most]:
            self.last += 1
            self.numbered[self.last] = text
        del self.waits[:at_most]

    def acknowledge(self, sequences: Sequence[int]) -> None:
        for sequence in sequences:
            del self.numbered[sequence]
        self.acknowledged = max((self.acknowledged, *sequences))

    def renumber(self, spool: str) -> None:
        texts = [text for _, text in sorted(self.numbered.items())]
        self.spool, self.sent, self.acknowledged, self.last = spool, 0, 0, len(texts)
        self.numbered = dict(enumerate(texts, start=1))


Act = Callable[[Connection, str, Topic, int], None]


def put(connection: Connection, topic: str, model: Topic, number: int) -> None:
    texts = [f"{number}.{place}" for place in range(number % 4)]
    model.waits += texts
    outbox.put(connection, [message(topic, text) for text in texts], written_at=START)


def number_some(connection: Connection, topic: str, model: Topic, number: int) -> None:
    model.number(number % 3 + 1)
    outbox.number(connection, topic, at_most=number % 3 + 1)


def send(connection: Connection, topic: str, model: Topic, number: int) -> None:
    sequence = number % (model.last + 1)
    model.sent = max(model.sent, sequence)
    outbox.record_sent(connection, topic, sequence)


def acknowledge(connection: Connection, topic: str, model: Topic, number: int) -> None:
    some = [sequence for sequence in model.numbered if (sequence + number) % 2]
    if some:
        model.acknowledge(some)
        outbox.acknowledge(connection, topic, some)


def acknowledge_through(connection: Connection, topic: str, model: Topic, number: int) -> None:
    sequence = number % (model.last + 1)
    through = [one for one in model.numbered if one <= sequence]
    model.acknowledge(through)
    model.acknowledged = max(model.acknowledged, sequence)
    assert outbox.acknowledge_through(connection, topic, sequence) == len(through)


def reject(connection: Connection, topic: str, model: Topic, number: int) -> None:
    if model.numbered:
        sequence = sorted(model.numbered)[number % len(model.numbered)]
        model.rejected.append(model.numbered.pop(sequence))
        outbox.reject(connection, topic, sequence, error="too large")


def renumber(connection: Connection, topic: str, model: Topic, number: int) -> None:
    model.renumber(f"s{number}")
    outbox.renumber(connection, topic, f"s{number}")


ACTS: Final = (put, put, number_some, number_some, send, acknowledge, acknowledge_through, reject, renumber)


def test_numbers_have_no_gap_and_each_topic_has_its_own(store: Store) -> None:
    drawn = st.tuples(st.sampled_from(ACTS), st.sampled_from(TOPICS), st.integers(0, 30))

    @given(acts=st.lists(drawn, max_size=20))
    def holds(acts: list[tuple[Act, str, int]]) -> None:
        models = {topic: Topic() for topic in TOPICS}
        with rolled_back(store) as connection:
            for topic in TOPICS:
                outbox.begin(connection, topic, "s0")
            for act, topic, number in acts:
                act(connection, topic, models[topic], number)
                for name, model in models.items():
                    agree(connection, name, model)

    holds()


def agree(connection: Connection, topic: str, model: Topic) -> None:
    expected = [as_numbered(sequence, text) for sequence, text in sorted(model.numbered.items())]
    assert outbox.numbered(connection, topic, after=0, at_most=1_000) == expected
    assert outbox.waits(connection, topic) == bool(model.waits)
    assert (topic in outbox.topics(connection)) == bool(model.waits or model.numbered)
    assert outbox.numbering(connection, topic) == Numbering(
        spool_id=model.spool, numbered=model.last, sent=model.sent, acknowledged=model.acknowledged
    )
    own = (outbox.table.c.topic == topic, outbox.table.c.error == "too large")
    aside = connection.scalars(select(outbox.table.c.payload).where(*own)).all()
    assert sorted(aside) == sorted(text.encode() for text in model.rejected)


def test_numbered_messages_come_in_slices(store: Store) -> None:
    topic = TOPICS[0]
    with store.write() as connection:
        outbox.begin(connection, topic, "s0")
        outbox.put(connection, [message(topic, text) for text in "abcde"], written_at=START)
        outbox.number(connection, topic, at_most=4)

        assert [one.payload for one in outbox.numbered(connection, topic, after=1, at_most=2)] == [b"b", b"c"]
        assert outbox.waits(connection, topic)


def test_a_numbering_that_began_goes_on(store: Store) -> None:
    topic = TOPICS[0]
    with store.write() as connection:
        assert outbox.numbering(connection, topic) is None
        outbox.begin(connection, topic, "s0")
        outbox.record_sent(connection, topic, 4)

        assert outbox.begin(connection, topic, "s1") == Numbering(spool_id="s0", numbered=0, sent=4, acknowledged=0)
