"""What is written is read back as it was."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from msgspec.structs import replace

from agent.api.v1 import commands_pb2, events_pb2
from agent.core.evidence import Container, ContainerKind, ContainerState, Node, Pod, StateKind
from agent.core.failure import Classification, Failure, Occurrence, Origin, UserCode
from agent.core.heartbeat import Heartbeat
from agent.core.run_command import ListRuns, RunCommand, StopRun
from agent.core.run_event import (
    Confirmation,
    Identity,
    ListedRun,
    LoadedRule,
    PodReference,
    RuleSetLoaded,
    RunEvent,
    RunPhase,
    RunsListed,
)
from agent.wire import commands, events, failure, heartbeat
from agent.wire.error import TooNew, WireError
from tests.core import strategies

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SMALL = Failure(
    occurrence=Occurrence.POD_FAILED,
    classification=Classification(category="none"),
    user_code=UserCode(),
    pod=Pod(),
)

EVENT = RunEvent(
    event_id="e1",
    cluster_id="c1",
    cluster="west",
    identity=Identity(job_id="j1", run_id="r1"),
    pod=PodReference(namespace="jobs", name="pod", uid="u1"),
    occurred_at=EPOCH,
    observed_at=EPOCH,
    event=SMALL,
)


@given(strategies.failures())
def test_a_failure_comes_back_as_it_was(given_one: Failure) -> None:
    assert failure.decode(failure.encode(given_one)) == given_one


@pytest.mark.slow
@given(strategies.run_events())
def test_a_run_event_comes_back_as_it_was(event: RunEvent) -> None:
    assert events.decode(events.encode(event)) == event


@given(strategies.heartbeats())
def test_a_heartbeat_comes_back_as_it_was(beat: Heartbeat) -> None:
    assert heartbeat.decode(heartbeat.encode(beat)) == beat


@given(strategies.run_commands())
def test_a_command_comes_back_as_it_was(command: RunCommand) -> None:
    assert commands.decode(commands.encode(command)) == command


COMMAND = RunCommand(cluster_id="c1", job_id="j1", run_id="r1", issued_at=EPOCH, command=StopRun(EVENT.pod))


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (replace(COMMAND, cluster_id="", run_id=""), "cluster_id, run_id missing"),
        (replace(COMMAND, command=StopRun(replace(EVENT.pod, uid=""))), "uid of the pod missing"),
        (replace(COMMAND, job_id="a\x00"), "job_id holds NUL"),
    ],
)
def test_a_command_that_names_no_run_or_pod_is_refused(command: RunCommand, why: str) -> None:
    with pytest.raises(WireError, match=why):
        commands.decode(commands.encode(command))


def test_what_asks_for_a_list_names_only_a_cluster() -> None:
    asked = ListRuns(cluster_id="c1", issued_at=EPOCH)

    assert commands.decode_any(commands.encode(asked)) == asked
    with pytest.raises(WireError, match="cluster_id missing"):
        commands.decode_any(commands.encode(replace(asked, cluster_id="")))
    with pytest.raises(WireError, match="ListRuns, which is about no run"):
        commands.decode(commands.encode(asked))


PAGE = RunsListed(
    event_id="e1",
    cluster_id="c1",
    cluster="west",
    list_id="l1",
    page=0,
    pages=2,
    as_of=EPOCH,
    listed_at=EPOCH,
    runs=(
        ListedRun(pod=EVENT.pod, job_id="j1", run_id="r1", queue="q", phase=RunPhase.PENDING, gated=True),
        ListedRun(
            pod=replace(EVENT.pod, uid="u2"),
            job_id="",
            run_id="r2",
            queue="",
            phase=RunPhase.FAILED,
            gated=False,
            confirmed=Confirmation.CONTAINERS,
        ),
    ),
)


@pytest.mark.parametrize("page", [PAGE, replace(PAGE, as_of=None, page=1, runs=())])
def test_a_page_of_a_list_comes_back_as_it_was(page: RunsListed) -> None:
    assert events.decode_any(events.encode_list(page)) == page


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (replace(PAGE, list_id=""), "list_id missing"),
        (replace(PAGE, page=2), "page 2 of 2"),
        (replace(PAGE, pages=0), "page 0 of 0"),
        (replace(PAGE, runs=(replace(PAGE.runs[0], run_id=""),)), "run_id or uid of the pod missing"),
        (replace(PAGE, runs=(replace(PAGE.runs[0], job_id="a\x00"),)), "job_id holds NUL"),
    ],
)
def test_a_page_that_fits_no_list_is_refused(page: RunsListed, why: str) -> None:
    with pytest.raises(WireError, match=why):
        events.decode_any(events.encode_list(page))


def test_a_command_without_what_to_do_is_refused() -> None:
    message = commands_pb2.RunCommand.FromString(commands.encode(COMMAND))
    message.ClearField("stop")

    with pytest.raises(WireError, match="no command"):
        commands.decode(message.SerializeToString())


def test_a_proof_that_only_a_newer_version_knows_proves_nothing() -> None:
    message = events_pb2.RunEvent.FromString(events.encode(replace(EVENT, confirmed=Confirmation.CONTAINERS)))
    setattr(message, "confirmed", 99)  # noqa: B010 - the stubs know no such number

    assert events.decode(message.SerializeToString()).confirmed is None


def test_zero_is_not_absence() -> None:
    state = ContainerState(kind=StateKind.TERMINATED, exit_code=0, started_at=EPOCH, finished_at=EPOCH)
    main = Container(name="main", kind=ContainerKind.APP, state=state, last_state=ContainerState(kind=StateKind.ABSENT))
    whole = replace(SMALL, exit_code=0, signal=0, pod=Pod(containers=(main,)), node=Node())

    assert failure.decode(failure.encode(whole)) == whole


def test_two_nodes_of_one_name_are_two_nodes() -> None:
    first, second = (replace(SMALL, node=Node(name="n", unschedulable=cordoned)) for cordoned in (True, False))

    assert failure.decode(failure.encode(first)) == first
    assert failure.decode(failure.encode(second)) == second


@pytest.mark.parametrize("payload", [b"\xff\xff\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe"])
def test_bytes_that_are_no_message_are_refused(payload: bytes) -> None:
    with pytest.raises(WireError, match="not a RunEvent"):
        events.decode(payload)


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (replace(EVENT, event_id=""), "event_id missing"),
        (replace(EVENT, cluster_id="", identity=Identity(job_id="", run_id="")), "cluster_id, job_id, run_id missing"),
        (replace(EVENT, event=replace(SMALL, pod_error="a\x00b")), "event.pod_error holds NUL"),
        (replace(EVENT, cluster="a\x00"), "cluster holds NUL"),
    ],
)
def test_what_cannot_be_attributed_or_stored_is_refused(event: RunEvent, why: str) -> None:
    with pytest.raises(WireError, match=why):
        events.decode(events.encode(event))


def test_the_escape_of_nul_is_a_text_like_others() -> None:
    event = replace(EVENT, cluster="\\u0000", identity=replace(EVENT.identity, attempt=0))

    assert b"\x00" in events.encode(event)
    assert events.decode(events.encode(event)) == event


def test_an_empty_message_is_refused() -> None:
    with pytest.raises(WireError, match="schema version 0"):
        events.decode(b"")


def test_an_event_without_anything_happening_is_refused() -> None:
    message = events_pb2.RunEvent.FromString(events.encode(EVENT))
    message.ClearField("failure")

    with pytest.raises(WireError, match="no event"):
        events.decode(message.SerializeToString())


@pytest.mark.parametrize(("field", "why"), [("occurred_time", "occurred_time missing"), ("observed_time", "observed")])
def test_an_event_without_its_times_is_refused(field: str, why: str) -> None:
    message = events_pb2.RunEvent.FromString(events.encode(EVENT))
    message.ClearField(field)

    with pytest.raises(WireError, match=why):
        events.decode(message.SerializeToString())


UNKNOWN_FIELD = b"\x9a\x06\x00"
"""Field 99, with nothing in it."""


@pytest.mark.parametrize("about", ["a run", "none"])
def test_an_event_that_only_a_later_version_knows_is_named(about: str) -> None:
    message = events_pb2.RunEvent.FromString(events.encode(EVENT))
    message.ClearField("failure")
    if about == "none":
        message.ClearField("job_id")
        message.ClearField("run_id")

    with pytest.raises(TooNew, match="RunEvent with event 99, which only a later version knows"):
        events.decode_any(message.SerializeToString() + UNKNOWN_FIELD)


@pytest.mark.parametrize("lost", ["event_id", "cluster_id"])
def test_what_no_version_writes_is_malformed_and_not_newer(lost: str) -> None:
    message = events_pb2.RunEvent.FromString(events.encode(EVENT))
    message.ClearField("failure")
    message.ClearField(lost)

    with pytest.raises(WireError, match=f"{lost} missing") as refused:
        events.decode_any(message.SerializeToString() + UNKNOWN_FIELD)
    assert not isinstance(refused.value, TooNew)


def test_a_field_that_a_later_version_adds_changes_nothing() -> None:
    assert events.decode(events.encode(EVENT) + UNKNOWN_FIELD) == EVENT
    assert commands.decode(commands.encode(COMMAND) + UNKNOWN_FIELD) == COMMAND


def test_a_command_that_only_a_later_version_knows_is_named() -> None:
    message = commands_pb2.RunCommand.FromString(commands.encode(COMMAND))
    message.ClearField("stop")

    with pytest.raises(TooNew, match="RunCommand with command 99, which only a later version knows"):
        commands.decode(message.SerializeToString() + UNKNOWN_FIELD)


def test_an_occurrence_of_a_newer_writer_is_refused_by_number() -> None:
    message = events_pb2.RunEvent.FromString(events.encode(EVENT))
    setattr(message.failure, "occurrence", 99)  # noqa: B010 - the stubs know no such number

    with pytest.raises(TooNew, match="occurrence 99 is not known"):
        events.decode(message.SerializeToString())


def test_a_newer_schema_is_read() -> None:
    message = events_pb2.RunEvent.FromString(events.encode(EVENT))
    message.schema_version = 7

    assert events.decode(message.SerializeToString()) == EVENT


def test_a_time_outside_the_calendar_is_refused() -> None:
    message = events_pb2.RunEvent.FromString(events.encode(replace(EVENT, event=RunPhase.RUNNING)))
    message.occurred_time.seconds = 10**15

    with pytest.raises(WireError, match="outside the calendar"):
        events.decode(message.SerializeToString())


def test_a_heartbeat_of_nobody_is_refused() -> None:
    with pytest.raises(WireError, match="cluster_id"):
        heartbeat.decode(b"")


RULES = (
    LoadedRule(
        name="oom", pack="kubernetes", category="memory", rule_index=0, subcategory="container", origin=Origin.USER
    ),
    LoadedRule(name="", pack="", category="network", rule_index=3, subcategory="", origin=Origin.UNKNOWN),
)


@pytest.mark.parametrize(("rules", "left_out"), [(RULES, 7), ((), 0)], ids=["rules", "of-an-older-agent"])
def test_a_set_of_rules_round_trips_and_is_no_event_of_a_run(rules: tuple[LoadedRule, ...], left_out: int) -> None:
    loaded = RuleSetLoaded(
        event_id="uid/rules/r1/now",
        cluster_id="uid",
        cluster="east",
        revision="r1",
        categories=("memory", "network"),
        loaded_at=EVENT.occurred_at,
        rules=rules,
        rules_left_out=left_out,
    )

    payload = events.encode_rule_set(loaded)

    assert events.decode_any(payload) == loaded
    with pytest.raises(WireError, match="about no run"):
        events.decode(payload)


def test_the_policies_that_a_pod_names_travel_with_its_event() -> None:
    named = replace(EVENT, identity=replace(EVENT.identity, retry_policies="infra,ml"))

    assert events.decode(events.encode(named)).identity.retry_policies == "infra,ml"
