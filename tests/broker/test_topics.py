"""Which topics are what, by their names."""

import pytest

from agent.broker.topics import HEARTBEATS, dead_letter_topic, heartbeat_topic, is_heartbeat_topic, replay_topic


@pytest.mark.parametrize(
    ("topic", "is_one"),
    [
        (HEARTBEATS, True),
        (heartbeat_topic("east"), True),
        ("cluster-heartbeatsfoo", False),
        ("run-events-east", False),
        (dead_letter_topic(heartbeat_topic("east"), "scheduler-heartbeats"), False),
        (replay_topic(heartbeat_topic("east"), "scheduler-heartbeats"), False),
        (dead_letter_topic(HEARTBEATS, "scheduler-heartbeats"), False),
    ],
)
def test_a_topic_of_heartbeats(topic: str, *, is_one: bool) -> None:
    assert is_heartbeat_topic(topic) is is_one
