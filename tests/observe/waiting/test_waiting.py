from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.evidence import Event
from agent.kube import objects
from agent.observe.deadlines import Deadlines, StartProblemKind, grace
from agent.observe.events import read_events
from agent.observe.waiting.look import look
from agent.observe.waiting.provided import provided
from agent.observe.waiting.wait import NotKnown, Wait, WaitKind
from tests.observe.pods import NOW, ago, pod
from tests.tables import table

Row = dict[str, Any]
ROWS: list[Row] = table(Path(__file__).parent / "waits.yaml")
TIMES = {"since": "lastTransitionTime", "started": "startedAt", "finished": "finishedAt"}
PODS = st.builds(
    lambda phase, gates, node, conditions: objects.Pod(
        spec=objects.PodSpec(nodeName=node, schedulingGates=gates),
        status=objects.PodStatus(phase=phase, conditions=conditions),
    ),
    st.sampled_from([None, "", "Pending", "Running", "Succeeded", "Failed", "Unknown"]),
    st.lists(st.builds(objects.SchedulingGate, name=st.text(max_size=3)), max_size=2),
    st.sampled_from([None, "", "node-1"]),
    st.lists(
        st.builds(
            objects.PodCondition,
            type=st.sampled_from(["PodScheduled", "Ready"]),
            status=st.sampled_from(["True", "False", "Unknown", None]),
            reason=st.sampled_from([None, "SchedulingGated", "ReadinessGatesNotReady"]),
        ),
        max_size=2,
    ),
)


def timed(value: Row) -> Row:
    return {TIMES.get(key, key): ago(part) if key in TIMES else part for key, part in value.items()}


def state(given: Row) -> Row:
    return {kind: timed(part) for kind, part in given.items()}


def statuses(row: Row) -> Iterator[tuple[str, list[Row]]]:
    if "init" in row:
        yield (
            "initContainerStatuses",
            [{"name": "init", "ready": False, "restartCount": row.get("restarts", 0), "state": state(row["init"])}],
        )
    if "main" in row:
        yield "containerStatuses", [{"name": "main", "ready": row.get("ready", False), "state": state(row["main"])}]


def pod_of(row: Row) -> objects.Pod:
    status: Row = dict(row.get("status", {"phase": row.get("phase", "Pending")}))
    spec: Row = {"nodeName": "node-1" if "bound" in row else None} | row.get("spec", {})
    conditions = [timed(condition) for condition in (*status.get("conditions", ()), *row.get("conditions", ()))]
    if "bound" in row:
        conditions.append({"type": "PodScheduled", "status": "True", "lastTransitionTime": ago(row["bound"])})
    if "init" in row:
        spec["initContainers"] = [{"name": "init", **({"restartPolicy": "Always"} if row.get("sidecar") else {})}]
    status |= dict(statuses(row)) | ({"conditions": conditions} if conditions else {})
    times = {"created": "creationTimestamp", "deleted": "deletionTimestamp"}
    return pod(status, metadata={times[key]: ago(row[key]) for key in times if key in row}, spec=spec)


def events_of(row: Row) -> tuple[Event, ...]:
    written = [
        {
            "type": event.get("type", "Warning"),
            "reason": event["reason"],
            "message": event.get("message", ""),
            "source": {"component": event.get("from", "kubelet")},
            **{f"{key}Timestamp": ago(event[key]) for key in ("first", "last") if key in event},
        }
        for event in row.get("events", ())
    ]
    return read_events(msgspec.convert(written, list[objects.Event]))


def assert_is(found: Wait | None, expected: Row | None) -> None:
    if expected is None or found is None:
        assert (found, expected) == (None, None)
    elif isinstance(found, NotKnown):
        assert expected["not-known"] in found.why
    else:
        limit = expected.get("limit")
        since = None if found.since is None else (NOW - found.since).total_seconds()
        assert (found.kind, found.name, since) == (expected["kind"], expected.get("name", ""), expected.get("since"))
        assert found.at_earliest == expected.get("at-earliest", False)
        assert expected["because"] in found.because
        assert found.limit == limit
        assert found.given_up_after == (None if limit is None else grace(StartProblemKind(limit), Deadlines()))


@pytest.mark.parametrize("row", [row for row in ROWS if "look" in row], ids=lambda row: row["name"])
def test_without_a_failure_a_pod_waits_for_the_first_step_that_is_not_done(row: Row) -> None:
    assert_is(look(pod_of(row), events_of(row), deadlines=Deadlines()), row["look"])


@pytest.mark.parametrize("row", [row for row in ROWS if "provided" in row], ids=lambda row: row["name"])
def test_what_somebody_provides_is_waited_for_until_the_agent_gives_up(row: Row) -> None:
    assert_is(provided(pod_of(row), events_of(row), deadlines=Deadlines()), row["provided"])


def test_every_kind_has_a_row() -> None:
    answers = [row[key] for row in ROWS for key in ("look", "provided") if row.get(key)]

    assert {answer["kind"] for answer in answers if "kind" in answer} == set(WaitKind)


@given(PODS)
def test_a_pending_pod_always_waits_and_one_of_unknown_phase_never_does(given_pod: objects.Pod) -> None:
    found = look(given_pod, (), deadlines=Deadlines())
    phase = given_pod.status.phase or ""

    if phase == "Pending":
        assert found is not None
        assert not isinstance(found, NotKnown)
    elif phase in {"", "Unknown"}:
        assert isinstance(found, NotKnown)
    elif phase != "Running":
        assert found is None
