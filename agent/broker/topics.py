"""The topics of failure-agent, as every process and every broker knows them."""

from typing import Final

EVENTS: Final = "run-events-"
"""Prefix of every topic of events; the cluster's name follows."""

COMMANDS: Final = "run-commands-"
"""Prefix of every topic of commands to the agent of a cluster; the cluster's name follows."""

JOB_EVENTS: Final = "job-events"
"""The topic of what schedulers decided about jobs."""

HEARTBEATS: Final = "cluster-heartbeats"
"""The topic of the heartbeats of earlier agents, and what every topic of heartbeats begins with."""


def events_topic(cluster: str) -> str:
    return f"{EVENTS}{cluster}"


def commands_topic(cluster: str) -> str:
    return f"{COMMANDS}{cluster}"


def heartbeat_topic(cluster: str) -> str:
    return f"{HEARTBEATS}-{cluster}"


def is_heartbeat_topic(topic: str) -> bool:
    """Whether clusters send heartbeats there: each to its own, earlier agents all to one."""
    sent_to = topic == HEARTBEATS or topic.startswith(f"{HEARTBEATS}-")
    return sent_to and not is_dead_letter_topic(topic) and not topic.endswith(_REPLAY_SUFFIX)


DEAD_LETTER_READER: Final = "failctl"
"""The subscription that keeps dead letters until somebody drops them."""

DEAD_LETTER_SUFFIX: Final = "-dlq"
_REPLAY_SUFFIX: Final = "-replay"


def dead_letter_topic(topic: str, subscription: str) -> str:
    """Where the dead letters of a subscription of a topic go; a replayed message goes there again, too."""
    return f"{original_topic(topic, subscription)}-{subscription}{DEAD_LETTER_SUFFIX}"


def is_dead_letter_topic(topic: str) -> bool:
    """Whether this topic holds dead letters; no other topic's name may end in the suffix."""
    return topic.endswith(DEAD_LETTER_SUFFIX)


def replay_topic(topic: str, subscription: str) -> str:
    """Where dead letters are sent to be consumed again by the subscription that could not, and by no other.

    It is a topic of its own, because an exclusive producer may hold the original one and would be fenced.
    """
    return f"{original_topic(topic, subscription)}{_replays_of(subscription)}"


def is_replay_of_another(topic: str, subscription: str) -> bool:
    """Whether this topic replays the dead letters of a subscription other than this one."""
    return topic.endswith(_REPLAY_SUFFIX) and not topic.endswith(_replays_of(subscription))


def is_consumed(topic: str, subscription: str) -> bool:
    """Whether this subscription consumes the topic: not its own dead letters, nor what is replayed for others."""
    return not is_dead_letter_topic(topic) and not is_replay_of_another(topic, subscription)


def original_topic(topic: str, subscription: str) -> str:
    """The topic a message was first sent to, whether it comes from there or was replayed."""
    return topic.removesuffix(_replays_of(subscription))


def _replays_of(subscription: str) -> str:
    return f"-{subscription}{_REPLAY_SUFFIX}"
