from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.broker.dead_letters import as_dead_letter, origin_of, original_message
from agent.broker.port import Delivery, Message
from agent.broker.topics import (
    dead_letter_topic,
    is_dead_letter_topic,
    is_replay_of_another,
    original_topic,
    replay_topic,
)

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def delivery(message: Message, *, topic: str = "run-events-east") -> Delivery:
    return Delivery(
        topic=topic, message=message, producer="agent/a", published_at=NOW, redeliveries=2, position="1", token=None
    )


MESSAGES = st.builds(
    Message,
    key=st.text(),
    payload=st.binary(),
    properties=st.dictionaries(st.text(), st.text(), max_size=3),
    event_time=st.none() | st.just(NOW),
)


@given(message=MESSAGES, error=st.text(max_size=50))
def test_what_is_buried_can_be_dug_up(message: Message, error: str) -> None:
    assert original_message(as_dead_letter(delivery(message), subscription="scheduler", error=error)) == message


@given(message=MESSAGES)
def test_buried_twice_is_buried_once(message: Message) -> None:
    """A message that was replayed and dies again lies where it lay before, and says the same of where it came from."""
    first = delivery(message)
    replayed = replace(first, topic=replay_topic(first.topic, "scheduler"))

    assert as_dead_letter(replayed, subscription="scheduler", error="e") == as_dead_letter(
        first, subscription="scheduler", error="e"
    )
    assert dead_letter_topic(replayed.topic, "scheduler") == dead_letter_topic(first.topic, "scheduler")
    assert replay_topic(replayed.topic, "scheduler") == replayed.topic


def test_a_dead_letter_says_why_and_whose_it_was() -> None:
    dead = as_dead_letter(
        delivery(Message(key="k", payload=b"")), subscription="scheduler", error="a\ud800" + "b" * 5000
    )

    found = origin_of(dead)

    assert found is not None
    assert (found.topic, found.subscription, found.producer) == ("run-events-east", "scheduler", "agent/a")
    assert found.error.startswith("a\\ud800bbb")
    assert len(found.error) == 4000


def test_a_message_that_nobody_buried_says_nothing() -> None:
    assert origin_of(Message(key="k", payload=b"", properties={"dead-letter-error": "e"})) is None


@pytest.mark.parametrize(
    ("topic", "another"),
    [
        ("run-events-east", False),
        ("run-events-east-scheduler-replay", False),
        ("run-events-east-lookout-replay", True),
        ("run-events-east-scheduler-dlq", False),
    ],
)
def test_a_subscription_consumes_its_own_replays_only(topic: str, *, another: bool) -> None:
    assert is_replay_of_another(topic, "scheduler") is another


def test_names_lead_back_to_the_topic() -> None:
    assert original_topic("run-events-east-scheduler-replay", "scheduler") == "run-events-east"
    assert is_dead_letter_topic(dead_letter_topic("run-events-east", "scheduler"))
    assert dead_letter_topic("run-events-east", "scheduler") == "run-events-east-scheduler-dlq"
