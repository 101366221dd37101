"""Which topics Lookout consumes, and what it takes their messages for."""

from contextlib import closing
from pathlib import Path

import pytest

from agent.broker.eventlog import EventLog
from agent.broker.topics import dead_letter_topic, replay_topic
from agent.lookout.ingest.topics import SUBSCRIPTION, MessageKind, kind_in, topics_of

KINDS = {
    "run-events-east": MessageKind.RUN_EVENT,
    "run-events-job-events": MessageKind.RUN_EVENT,
    "job-events": MessageKind.JOB_EVENT,
    "cluster-heartbeats": MessageKind.HEARTBEAT,
    "cluster-heartbeats-east": MessageKind.HEARTBEAT,
}


@pytest.mark.parametrize(("topic", "kind"), KINDS.items())
def test_a_message_is_what_its_topic_is_for_also_when_it_is_replayed(topic: str, kind: MessageKind) -> None:
    assert kind_in(topic) is kind
    assert kind_in(replay_topic(topic, SUBSCRIPTION)) is kind


def test_what_clusters_and_schedulers_tell_is_consumed_and_nothing_else(tmp_path: Path) -> None:
    others = ("run-commands-east", "job-events-of-somebody", dead_letter_topic("job-events", SUBSCRIPTION))
    replays = [replay_topic(topic, SUBSCRIPTION) for topic in ("run-events-east", "job-events")]
    with closing(EventLog.open(f"{tmp_path}/log.db")) as log:
        for topic in (*KINDS, *replays, *others):
            log.ensure_subscription(topic, "somebody")

        assert sorted(topics_of(log)) == sorted([*KINDS, *replays])
