"""The topics of failure-agent, as every process and every broker knows them."""

from typing import Final

EVENTS: Final = "run-events-"
"""Begins the name of every topic of events; the cluster's name follows."""

HEARTBEATS: Final = "cluster-heartbeats"


def events_topic(cluster: str) -> str:
    """Where a cluster's events go."""
    return f"{EVENTS}{cluster}"


DEAD_LETTER_READER = "failctl"
"""The subscription that keeps dead letters until somebody drops them."""


DEAD_LETTER_SUFFIX = "-dlq"
"""Ends the name of every topic of dead letters."""


_REPLAY_SUFFIX = "-replay"


def dead_letter_topic(topic: str, subscription: str) -> str:
    """Where the dead letters of a subscription of a topic go, replayed ones included."""
    return f"{original_topic(topic, subscription)}-{subscription}{DEAD_LETTER_SUFFIX}"


def is_dead_letter_topic(topic: str) -> bool:
    """Whether this is such a place; no other topic's name may end like one."""
    return topic.endswith(DEAD_LETTER_SUFFIX)


def replay_topic(topic: str, subscription: str) -> str:
    """Where dead letters are sent to be consumed again by the subscription that could not, and by no other.

    It is beside the topic because that may be held by an exclusive producer.
    """
    return f"{original_topic(topic, subscription)}{_replays_of(subscription)}"


def is_replay_of_another(topic: str, subscription: str) -> bool:
    """Whether this is where another subscription's dead letters are consumed again."""
    return topic.endswith(_REPLAY_SUFFIX) and not topic.endswith(_replays_of(subscription))


def original_topic(topic: str, subscription: str) -> str:
    """The topic a message was first sent to, whether it comes from there or was replayed."""
    return topic.removesuffix(_replays_of(subscription))


def _replays_of(subscription: str) -> str:
    return f"-{subscription}{_REPLAY_SUFFIX}"
