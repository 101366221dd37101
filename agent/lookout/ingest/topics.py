"""The topics that Lookout consumes, and what is in each."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from agent.broker.port import Broker
from agent.broker.topics import EVENTS, HEARTBEATS, JOB_EVENTS, is_consumed, is_heartbeat_topic, original_topic

SUBSCRIPTION: Final = "lookout"


class MessageKind(StrEnum):
    """What the messages of a topic are."""

    RUN_EVENT = "run-event"
    JOB_EVENT = "job-event"
    HEARTBEAT = "heartbeat"


def topics_of(broker: Broker) -> Sequence[str]:
    """All topics that exist, with dead letters and replays, of which the consumer leaves out those of others."""
    heartbeats = filter(is_heartbeat_topic, broker.topics(HEARTBEATS))
    jobs = (topic for topic in broker.topics(JOB_EVENTS) if original_topic(topic, SUBSCRIPTION) == JOB_EVENTS)
    return [*broker.topics(EVENTS), *jobs, *heartbeats]


def consumed_topics(broker: Broker) -> Sequence[str]:
    """The topics that are consumed, of all that exist."""
    return [topic for topic in topics_of(broker) if is_consumed(topic, SUBSCRIPTION)]


def kind_in(topic: str) -> MessageKind:
    """What is in a topic, or in the replays of its dead letters."""
    if topic.startswith(EVENTS):
        return MessageKind.RUN_EVENT
    return MessageKind.JOB_EVENT if original_topic(topic, SUBSCRIPTION) == JOB_EVENTS else MessageKind.HEARTBEAT
