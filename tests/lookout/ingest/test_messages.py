"""What messages say: everything that a process sends is read as it was written; what cannot be is named."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from agent.api.v1 import events_pb2
from agent.broker.port import Delivery, Message
from agent.core.failure import Origin
from agent.core.heartbeat import Heartbeat
from agent.core.job_event import JobEvent, StateChanged
from agent.core.run_event import LoadedRule, RuleSetLoaded, RunsListed
from agent.lookout.ingest.messages import read
from agent.lookout.store.entries import Entry
from agent.wire import events, heartbeat, job_event
from agent.wire.error import TooNew, WireError
from tests.store.events import START, event, failed

PUBLISHED = datetime(2026, 11, 21, 12, 5, tzinfo=UTC)
BEAT = Heartbeat(
    cluster_id="id-east",
    cluster="east",
    epoch=1,
    incarnation="i",
    spool_id="s",
    last_spooled=3,
    last_acknowledged=2,
    sent_at=START,
)
RULES = RuleSetLoaded(
    event_id="l1",
    cluster_id="id-east",
    cluster="east",
    revision="abc",
    categories=("oom",),
    loaded_at=START,
    rules=(LoadedRule(name="r", pack="p", category="oom", rule_index=0, subcategory="s", origin=Origin.USER),),
)
LISTED = RunsListed(
    event_id="p1",
    cluster_id="id-east",
    cluster="east",
    list_id="l",
    page=0,
    pages=1,
    as_of=None,
    listed_at=START,
    runs=(),
)
CHANGED = JobEvent(event_id="c1", job_id="j", sequence=2, at=START, event=StateChanged())
LATER = b"\x9a\x06\x00"
"""A field that only a later version knows."""


def delivery(topic: str, payload: bytes) -> Delivery:
    return Delivery(
        topic=topic,
        message=Message(key="k", payload=payload),
        producer="somebody",
        published_at=PUBLISHED,
        redeliveries=0,
        position="1",
        token=None,
    )


@pytest.mark.parametrize(
    ("topic", "payload", "said"),
    [
        ("run-events-east", events.encode(event("e1", failed())), event("e1", failed())),
        ("run-events-east-lookout-replay", events.encode(event("e1", failed())), event("e1", failed())),
        ("run-events-east", events.encode_rule_set(RULES), RULES),
        ("run-events-east", events.encode_list(LISTED), None),
        ("job-events", job_event.encode(CHANGED), CHANGED),
        ("cluster-heartbeats-east", heartbeat.encode(BEAT), BEAT),
        ("cluster-heartbeats", heartbeat.encode(replace(BEAT, sent_at=None)), replace(BEAT, sent_at=PUBLISHED)),
    ],
)
def test_what_was_sent_is_read(topic: str, payload: bytes, said: Entry | None) -> None:
    assert read(delivery(topic, payload)) == said


@pytest.mark.parametrize("topic", ["run-events-east", "job-events", "cluster-heartbeats-east"])
@pytest.mark.parametrize("payload", [b"", b"\xff\xff", b"not a message"])
def test_what_cannot_be_read_is_refused(topic: str, payload: bytes) -> None:
    with pytest.raises(WireError):
        read(delivery(topic, payload))


def test_what_only_a_later_version_knows_is_named() -> None:
    sent = events_pb2.RunEvent.FromString(events.encode(event("e1", failed())))
    sent.ClearField("failure")

    with pytest.raises(TooNew, match="RunEvent with event 99"):
        read(delivery("run-events-east", sent.SerializeToString() + LATER))
