"""Job events are read back as they were written, and what nobody could store is refused."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from msgspec.structs import replace

from agent.api.v1 import job_event_pb2 as pb
from agent.core.job_event import JobEvent, JobRequested, RequestKind, RunDecided, StateChanged
from agent.core.limit import VerdictAction
from agent.wire.error import TooNew, WireError
from agent.wire.job_event import decode, encode
from tests.core.drawn_job_events import job_events

DECIDED = RunDecided(
    run_id="r1", attempt=0, failure_id="e1", action=VerdictAction.RETRY, reason="rule", sentence="Retry at once"
)
EVENT = JobEvent(event_id="j1", job_id="j", sequence=3, at=datetime(2026, 1, 1, tzinfo=UTC), event=DECIDED)
UNKNOWN_FIELD = b"\x9a\x06\x00"
"""Field 99, with nothing in it."""


@given(job_events())
def test_a_job_event_comes_back_as_it_was(event: JobEvent) -> None:
    assert decode(encode(event)) == event


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (replace(EVENT, event_id="", job_id=""), "event_id, job_id missing"),
        (replace(EVENT, sequence=0), "sequence 0: the first is 1"),
        (replace(EVENT, sequence=-1), "sequence -1: the first is 1"),
        (replace(EVENT, event=replace(DECIDED, run_id="")), "run_id missing"),
        (replace(EVENT, event=replace(DECIDED, sentence="a\x00")), "event.sentence holds NUL"),
        (replace(EVENT, queue="a\x00"), "queue holds NUL"),
    ],
)
def test_what_cannot_be_attributed_or_stored_is_refused(event: JobEvent, why: str) -> None:
    with pytest.raises(WireError, match=why):
        decode(encode(event))


def test_an_empty_message_is_refused() -> None:
    with pytest.raises(WireError, match="schema version 0"):
        decode(b"")


@pytest.mark.parametrize(("field", "why"), [("decided_time", "decided_time missing"), ("decided", "no event")])
def test_an_event_without_its_time_or_content_is_refused(field: str, why: str) -> None:
    message = pb.JobEvent.FromString(encode(EVENT))
    message.ClearField(field)

    with pytest.raises(WireError, match=why):
        decode(message.SerializeToString())


def test_what_only_a_later_version_knows_is_named() -> None:
    message = pb.JobEvent.FromString(encode(replace(EVENT, event=StateChanged())))
    message.ClearField("state_changed")

    with pytest.raises(TooNew, match="JobEvent with event 99, which only a later version knows"):
        decode(message.SerializeToString() + UNKNOWN_FIELD)


@pytest.mark.parametrize(("place", "why"), [("action", "action of a verdict 99"), ("kind", "kind of request 99")])
def test_a_word_that_only_a_later_version_knows_is_named(place: str, why: str) -> None:
    content = DECIDED if place == "action" else JobRequested(kind=RequestKind.CANCEL, by="ann")
    message = pb.JobEvent.FromString(encode(replace(EVENT, event=content)))
    setattr(message.decided if place == "action" else message.requested, place, 99)

    with pytest.raises(TooNew, match=why):
        decode(message.SerializeToString())


def test_a_state_that_only_a_later_version_knows_is_named() -> None:
    message = pb.JobEvent.FromString(encode(EVENT))
    setattr(message, "state", 99)  # noqa: B010 - the stubs know no such number

    with pytest.raises(TooNew, match="state of a job 99"):
        decode(message.SerializeToString())


def test_a_field_that_a_later_version_adds_and_a_newer_schema_change_nothing() -> None:
    message = pb.JobEvent.FromString(encode(EVENT) + UNKNOWN_FIELD)
    message.schema_version = 7

    assert decode(message.SerializeToString()) == EVENT
