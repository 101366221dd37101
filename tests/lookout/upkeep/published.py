"""What agents and schedulers say, in the topics of a broker."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, assert_never

from msgspec.structs import replace

from agent.broker.port import Broker, Message
from agent.broker.topics import JOB_EVENTS, events_topic, heartbeat_topic
from agent.core.evidence import LogTail
from agent.core.heartbeat import Heartbeat
from agent.core.job_event import (
    JobContent,
    JobEvent,
    JobRequested,
    JobSubmitted,
    RequestKind,
    RunDecided,
    RunLeased,
)
from agent.core.limit import VerdictAction
from agent.core.run_event import RuleSetLoaded, RunEvent, RunPhase
from agent.lookout.store.entries import Entry
from agent.wire import events, heartbeat, job_event
from tests.lookout.ingest.test_messages import BEAT, RULES
from tests.scheduler.path import publish
from tests.store.events import START, event, failed

DAY: Final = 86_400.0
FAILED: Final = replace(failed(), log_tails=(LogTail(container="main", text="Killed"),))


def publish_all(broker: Broker, entries: Sequence[Entry]) -> None:
    """Publish each to the topic of its kind, in this order."""
    by_topic: dict[str, list[Message]] = defaultdict(list)
    for entry in entries:
        topic, message = _sent(entry)
        by_topic[topic].append(message)
    for topic, messages in by_topic.items():
        publish(broker, messages, topic=topic)


def _sent(entry: Entry) -> tuple[str, Message]:
    match entry:
        case JobEvent():
            return JOB_EVENTS, Message(key=entry.job_id, payload=job_event.encode(entry))
        case Heartbeat():
            return heartbeat_topic(entry.cluster), Message(key=entry.cluster, payload=heartbeat.encode(entry))
        case RuleSetLoaded():
            return events_topic(entry.cluster), Message(key=entry.cluster, payload=events.encode_rule_set(entry))
        case RunEvent():
            return events_topic(entry.cluster), Message(key=entry.identity.scope, payload=events.encode(entry))
        case _:
            assert_never(entry)


def history(runs: int) -> list[Entry]:
    """A cluster's heartbeat and rules, and jobs with a run each that failed, one an hour, all that there is of them."""
    return [BEAT, RULES, *(entry for number in range(runs) for entry in _job(number))]


def _job(number: int) -> list[Entry]:
    run, hour = f"run-{number}", number * 3600.0
    leased = RunLeased(run_id=run, index=0, attempt=0, cluster_id="c", cluster="east", pod_name="p")
    decided = RunDecided(
        run_id=run,
        attempt=0,
        failure_id=f"f{number}",
        action=VerdictAction.RETRY,
        reason="rule",
        sentence="It retries.",
    )
    submitted, asked = (
        JobSubmitted(name="train", client_id="c", priority=1.0),
        JobRequested(kind=RequestKind.CANCEL, by="ann"),
    )
    said: tuple[JobContent, ...] = (submitted, leased, decided, asked)
    return [
        *(_of_job(number, place, content) for place, content in enumerate(said, start=1)),
        event(f"r{number}", RunPhase.RUNNING, run=run, job=f"job-{number}", after=hour),
        event(f"f{number}", FAILED, run=run, job=f"job-{number}", after=hour + 60),
    ]


def _of_job(number: int, sequence: int, content: JobContent) -> JobEvent:
    return JobEvent(
        event_id=f"j{number}-{sequence}",
        job_id=f"job-{number}",
        sequence=sequence,
        at=START + timedelta(hours=number, seconds=sequence),
        event=content,
        queue="ml",
        owner="ann",
        namespace="jobs",
    )
