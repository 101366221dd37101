from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.disruption import came_late
from agent.core.classify.pattern import compile_pattern
from agent.core.evidence import Event
from agent.core.failure import CheckAction, Occurrence
from agent.kube import objects
from agent.observe.checks.finding import Waiting
from agent.observe.checks.pending import PendingPodChecks, WaitingCheck, check_pending
from agent.observe.deadlines import Deadlines
from agent.observe.evidence import read_evidence
from agent.observe.node_clock import behind, by_server
from agent.observe.occurrence import Occurred, observe

CREATED = datetime(2026, 11, 21, 12, tzinfo=UTC)
ZERO, SECOND, MINUTE, HOUR = timedelta(0), timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)

PREPARING = 30 * MINUTE
DEADLINES = Deadlines(preparing=PREPARING, init_running=20 * MINUTE, active_margin=MINUTE)
skews = st.integers(-10 * 3600, 10 * 3600).map(lambda seconds: timedelta(seconds=seconds))
waits = st.integers(0, 40 * 60).map(lambda seconds: timedelta(seconds=seconds))


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def pod(*, waited: timedelta, skew: timedelta, spec: Mapping[str, Any] | None = None, **status: Any) -> objects.Pod:
    """A pod that waited for a node; its kubelet, whose clock is ``skew`` ahead, took it two seconds later."""
    bound = CREATED + waited
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": stamp(bound)}
    given = {
        "metadata": {"uid": "u", "name": "a", "creationTimestamp": stamp(CREATED)},
        "spec": {"nodeName": "n", **(spec or {})},
        "status": {
            "phase": "Pending",
            "startTime": stamp(bound + 2 * SECOND + skew),
            "conditions": [scheduled],
            **status,
        },
    }
    return msgspec.convert(given, objects.Pod, strict=False)


def occurrences(seen: objects.Pod, now: datetime) -> list[Occurrence]:
    return [event.occurrence for event in observed(seen, now)]


def observed(seen: objects.Pod, now: datetime) -> tuple[Occurred, ...]:
    return observe(None, seen, deleted=False, now=now, deadlines=DEADLINES)[1]


@given(waited=waits, skew=skews, lasted=waits)
def test_whatever_the_nodes_clock_says_a_pod_is_given_up_when_its_node_had_it_for_so_long(
    waited: timedelta, skew: timedelta, lasted: timedelta
) -> None:
    given_up = occurrences(pod(waited=waited, skew=skew), CREATED + waited + lasted)
    assert given_up == ([Occurrence.NEVER_STARTED] if lasted >= PREPARING else [])


@given(waited=waits, skew=skews, lasted=waits)
def test_an_init_container_never_ran_too_long_by_the_nodes_clock_alone(
    waited: timedelta, skew: timedelta, lasted: timedelta
) -> None:
    began = CREATED + waited + 5 * SECOND
    init = {"name": "i", "state": {"running": {"startedAt": stamp(began + skew)}}}
    given_up = occurrences(pod(waited=waited, skew=skew, initContainerStatuses=[init]), began + lasted)
    assert given_up == [] or lasted >= 20 * MINUTE - 2 * SECOND


@given(waited=waits, skew=skews, lasted=st.integers(0, 7200).map(lambda seconds: timedelta(seconds=seconds)))
def test_a_deadline_is_never_exceeded_by_the_nodes_clock_alone(
    waited: timedelta, skew: timedelta, lasted: timedelta
) -> None:
    running = {"name": "c", "state": {"running": {"startedAt": stamp(CREATED + waited + skew)}}}
    spec = {"activeDeadlineSeconds": 3600, "terminationGracePeriodSeconds": 30}
    seen = pod(waited=waited, skew=skew, spec=spec, phase="Running", containerStatuses=[running])
    exceeded = occurrences(seen, CREATED + waited + lasted)
    assert exceeded == [] or lasted >= HOUR + 30 * SECOND + MINUTE


@given(waited=waits, skew=skews, lasted=waits)
def test_a_check_of_pending_pods_never_matches_early(waited: timedelta, skew: timedelta, lasted: timedelta) -> None:
    changed = CREATED + waited + 20 * SECOND
    initialized = {"type": "Initialized", "status": "True", "lastTransitionTime": stamp(changed + skew)}
    waiting = {"name": "c", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    seen = pod(waited=waited, skew=skew, containerStatuses=[waiting])
    conditions = [*(seen.status.conditions or ()), msgspec.convert(initialized, objects.PodCondition, strict=False)]
    seen = msgspec.structs.replace(seen, status=msgspec.structs.replace(seen.status, conditions=conditions))
    checks = PendingPodChecks(
        containers=(
            WaitingCheck(
                name="pull",
                pattern=compile_pattern("ImagePull"),
                inverse=False,
                grace=10 * MINUTE,
                action=CheckAction.RETRY,
            ),
        )
    )
    found = check_pending(seen, (), checks=checks, now=changed + lasted)
    assert isinstance(found, Waiting) or lasted >= 10 * MINUTE - 2 * SECOND


@pytest.mark.parametrize("skew", [-HOUR, ZERO, HOUR])
def test_a_failure_is_reported_at_its_time_by_the_server_unless_the_node_is_ahead(skew: timedelta) -> None:
    ended = CREATED + 10 * MINUTE
    state = {"terminated": {"exitCode": 1, "finishedAt": stamp(ended + skew)}}
    failed = pod(waited=MINUTE, skew=skew, phase="Failed", containerStatuses=[{"name": "c", "state": state}])
    (occurred,) = observed(failed, ended + 3 * SECOND)
    assert abs(occurred.occurred_at - ended) <= 3 * SECOND


@pytest.mark.parametrize("skew", [-HOUR, ZERO])
def test_a_pod_that_succeeded_after_it_was_targeted_failed_also_on_a_node_that_is_behind(skew: timedelta) -> None:
    ended = CREATED + 10 * MINUTE
    assert observed(targeted(ended=ended, at=ended - 20 * SECOND, skew=skew), ended + SECOND) != ()
    assert observed(targeted(ended=ended, at=ended + 20 * SECOND, skew=skew), ended + MINUTE) == ()


@pytest.mark.parametrize("skew", [-HOUR, ZERO])
def test_evidence_has_the_servers_times_also_from_a_node_that_is_behind(skew: timedelta) -> None:
    ended = CREATED + 10 * MINUTE
    probed = Event(reason="Unhealthy", message="m", type="Warning", last_at=ended + skew, component="kubelet")
    bound = Event(reason="Scheduled", message="m", type="Normal", last_at=CREATED, component="default-scheduler")
    seen = targeted(ended=ended, at=ended - 20 * SECOND, skew=skew)
    evidence = read_evidence(seen, occurrence=Occurrence.POD_FAILED, events=[probed, bound])

    (container,) = evidence.pod.containers
    assert abs((container.state.finished_at or CREATED) - ended) <= 2 * SECOND
    assert [abs((event.last_at or CREATED) - ended) <= 2 * SECOND for event in evidence.events] == [True, False]
    assert {event.last_at for event in evidence.events if event.component != "kubelet"} == {CREATED}
    times = {condition.type: condition.transitioned_at for condition in evidence.pod.conditions}
    assert times["DisruptionTarget"] == ended - 20 * SECOND
    assert not any(came_late(condition, evidence.pod) for condition in evidence.pod.conditions)


def test_a_container_that_never_began_did_not_begin_on_a_node_that_is_behind() -> None:
    never = {"exitCode": 137, "startedAt": "1970-01-01T00:00:00Z", "finishedAt": "1970-01-01T00:00:00Z"}
    seen = pod(
        waited=MINUTE, skew=-HOUR, phase="Failed", containerStatuses=[{"name": "c", "state": {"terminated": never}}]
    )
    (container,) = read_evidence(seen, occurrence=Occurrence.POD_FAILED).pod.containers
    assert container.state.started_at == datetime(1970, 1, 1, tzinfo=UTC)


def targeted(*, ended: datetime, at: datetime, skew: timedelta) -> objects.Pod:
    """A pod that was asked to end at a time, and whose container exited with 0."""
    state = {
        "terminated": {
            "exitCode": 0,
            "startedAt": stamp(CREATED + 2 * MINUTE + skew),
            "finishedAt": stamp(ended + skew),
        }
    }
    seen = pod(waited=MINUTE, skew=skew, phase="Succeeded", containerStatuses=[{"name": "c", "state": state}])
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "PreemptionByScheduler",
        "lastTransitionTime": stamp(at),
    }
    conditions = [*(seen.status.conditions or ()), msgspec.convert(condition, objects.PodCondition, strict=False)]
    return msgspec.structs.replace(seen, status=msgspec.structs.replace(seen.status, conditions=conditions))


def test_a_node_is_behind_by_how_much_its_pod_began_before_it_was_bound() -> None:
    assert behind(pod(waited=MINUTE, skew=-HOUR)) == HOUR - 2 * SECOND
    assert behind(pod(waited=MINUTE, skew=HOUR)) == ZERO
    assert behind(objects.Pod()) == ZERO


def test_a_time_that_cannot_be_shifted_stays() -> None:
    latest = datetime.max.replace(tzinfo=UTC)
    assert by_server(pod(waited=MINUTE, skew=-HOUR), latest) == latest
    assert by_server(pod(waited=MINUTE, skew=-HOUR), None) is None
