from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.evidence import ContainerKind, Evidence, LogTail, MissingEvidence, StateKind
from agent.core.failure import Occurrence
from agent.core.summary.submission import Submission
from agent.core.summary.texts import collect
from agent.kube import objects
from agent.observe.events import read_events
from agent.observe.evidence import read_evidence
from agent.observe.injection import submission
from agent.observe.text import is_clean, strip, strip_evidence
from tests.core import strategies
from tests.observe.pods import NOW, ago, pod, status, terminated, waiting

FAILED = Occurrence.POD_FAILED
HOSTILE = [*map(chr, range(32)), "\x7f", *map(chr, range(0x80, 0xA0)), "\ud800", "\udfff"]


@pytest.mark.parametrize("character", [character for character in HOSTILE if character not in "\n\t"])
def test_hostile_characters_are_removed(character: str) -> None:
    assert strip(f"a{character}b") == "ab"
    assert not is_clean(f"a{character}b")


@pytest.mark.parametrize("text", ["", "a\nb\tc", "é☃🦀", "\u2028\u202e", "\xa0\xad\xbf"])
def test_other_characters_stay(text: str) -> None:
    assert strip(text) == text


@given(strategies.hostile_texts(8))
def test_a_text_that_is_called_clean_is_clean(text: str) -> None:
    stripped = strip(text)

    assert not is_clean(text) or stripped == text
    assert strip(stripped) == stripped
    stripped.encode()


@pytest.mark.slow
@given(strategies.evidence(strategies.hostile_texts()))
def test_nothing_hostile_is_left_in_evidence_and_what_lost_some_is_named(evidence: Evidence) -> None:
    stripped = strip_evidence(evidence)
    left = collect(stripped).joined

    assert not [character for character in HOSTILE if character not in "\n\t" and character in left]
    assert (stripped == evidence) == (len(stripped.sanitized) == len(evidence.sanitized))


def test_the_fields_that_lost_something_are_named() -> None:
    seen = pod(status("Failed", terminated(1, message="a\x00b"), message="\x1b[31mred"))
    evidence = read_evidence(seen, occurrence=FAILED, log_tails=[LogTail(container="main", text="x\ry\n")])

    assert evidence.sanitized == ("pod.message", "pod.containers[0].state.message", "pod_error", "log_tails[0].text")
    assert evidence.pod.message == evidence.pod_error == "red"
    assert evidence.pod.containers[0].ended is not None
    assert evidence.pod.containers[0].ended.message == "ab"
    assert evidence.log_tails[0].text == "xy\n"


def test_containers_stand_app_first_and_know_their_kind() -> None:
    seen = pod(
        status(
            "Running",
            {"running": {}},
            initContainerStatuses=[
                {"name": "mesh", "state": {"running": {}}},
                {"name": "fetch", "state": terminated(0)},
            ],
            ephemeralContainerStatuses=[{"name": "debug"}],
        ),
        spec={"initContainers": [{"name": "mesh", "restartPolicy": "Always"}, {"name": "fetch"}]},
    )
    kinds = [(container.name, container.kind) for container in read_evidence(seen, occurrence=FAILED).pod.containers]

    assert kinds == [
        ("main", ContainerKind.APP),
        ("mesh", ContainerKind.SIDECAR),
        ("fetch", ContainerKind.INIT),
        ("debug", ContainerKind.EPHEMERAL),
    ]


def test_a_container_that_has_no_status_yet_is_there_without_a_state() -> None:
    (main,) = read_evidence(pod({"phase": "Failed", "reason": "Evicted"}), occurrence=FAILED).pod.containers

    assert (main.name, main.image, main.state.kind, main.ended) == ("main", "app:1", StateKind.ABSENT, None)


def test_a_container_ended_in_its_state_or_waits_after_its_last() -> None:
    crashing = {
        "name": "main", "state": waiting("CrashLoopBackOff"), "lastState": terminated(3), "restartCount": 2,
    }  # fmt: skip # one line reads as one container
    running = {"name": "other", "state": {"running": {}}, "lastState": terminated(4)}
    ended = {"name": "third", "state": terminated(5), "lastState": terminated(6)}
    seen = pod({"phase": "Running", "containerStatuses": [crashing, running, ended]})

    at_end = read_evidence(seen, occurrence=FAILED).pod.containers
    in_run = read_evidence(seen, occurrence=Occurrence.CONTAINER_RESTARTED, container="other").pod.containers

    assert [container.ended.exit_code if container.ended else None for container in at_end] == [3, None, 5]
    assert [container.ended.exit_code if container.ended else None for container in in_run] == [None, 4, None]
    assert at_end[0].restarts == 2


def test_an_empty_last_state_is_none() -> None:
    seen = pod({"containerStatuses": [{"name": "main", "state": {"running": {}}, "lastState": {}}]})

    assert read_evidence(seen, occurrence=FAILED).pod.containers[0].last_state is None


def test_the_pods_error_is_its_message_else_its_containers_joined() -> None:
    main, init = terminated(2, message="boom"), {"name": "init", "state": terminated(1, reason="OOMKilled")}
    said = read_evidence(pod(status("Failed", main, message="node is low")), occurrence=FAILED)
    joined = read_evidence(pod(status("Failed", main, terminated(0), initContainerStatuses=[init])), occurrence=FAILED)

    assert said.pod_error == "node is low"
    assert joined.pod_error == (
        "Container main failed with exit code 2 because Error: boom\n"
        "Container init failed with exit code 1 because OOMKilled: \n"
    )
    assert read_evidence(pod(), occurrence=FAILED).pod_error == ""


@pytest.mark.parametrize(
    ("given_code", "code"), [(3221225477, -1073741819), (137, 137), (-1, -1), (10**20, None), (None, None)]
)
def test_an_exit_code_is_what_an_int32_holds(given_code: int | None, code: int | None) -> None:
    (main,) = read_evidence(pod(status("Failed", terminated(given_code))), occurrence=FAILED).pod.containers  # type: ignore[arg-type]  # an odd pod

    assert main.state.exit_code == code


@pytest.mark.parametrize(
    ("given_time", "time"),
    [
        (datetime(2026, 1, 2), datetime(2026, 1, 2, tzinfo=UTC)),  # noqa: DTZ001 - what is tested
        (datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=1))), datetime(2026, 1, 2, tzinfo=UTC)),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))), None),
    ],
)
def test_every_time_is_in_utc_or_absent(given_time: datetime, time: datetime | None) -> None:
    evidence = read_evidence(pod({"startTime": given_time}), occurrence=FAILED)

    assert evidence.pod.started_at == time


def event(type_: str, last: float | None, message: str, **fields: Any) -> objects.Event:
    at = None if last is None else ago(last)
    return msgspec.convert({"type": type_, "lastTimestamp": at, "message": message, **fields}, objects.Event)


def test_events_are_warnings_first_and_newest_first() -> None:
    events = [
        event("Normal", 1, "new"),
        event("Warning", None, "timeless"),
        event("Warning", 50, "old warning"),
        event("Warning", 2, "new warning"),
        event("Normal", 9, "old"),
    ]
    said = [event.message for event in read_evidence(pod(), occurrence=FAILED, events=read_events(events)).events]

    assert said == ["new warning", "old warning", "timeless", "new", "old"]


def test_an_event_of_the_newer_api_is_read_too() -> None:
    series = event(
        "Warning",
        None,
        "m",
        eventTime=ago(9),
        series={"count": 7, "lastObservedTime": ago(3)},
        reportingComponent="kubelet",
    )
    (read,) = read_evidence(pod(), occurrence=FAILED, events=read_events([series])).events

    assert (read.count, read.first_at, read.last_at, read.component) == (7, ago(9), ago(3), "kubelet")


def test_a_node_is_read_with_what_is_wrong_with_it() -> None:
    node = msgspec.convert(
        {
            "metadata": {"name": "n1"},
            "spec": {"unschedulable": True, "taints": [{"key": "k", "effect": "NoExecute", "timeAdded": NOW}]},
            "status": {"conditions": [{"type": "MemoryPressure", "status": "True", "lastHeartbeatTime": NOW}]},
        },
        objects.Node,
    )
    read = read_evidence(pod(), occurrence=FAILED, node=node, node_log=["oom"]).node
    again = read_evidence(pod(), occurrence=FAILED, node=node).node

    assert read is not None
    assert again is not None
    assert (read.name, read.unschedulable, read.log_lines, again.log_lines) == ("n1", True, ("oom",), ())
    assert (read.conditions[0].type, read.conditions[0].heartbeat_at, read.taints[0].added_at) == (
        "MemoryPressure",
        NOW,
        NOW,
    )


def test_nothing_is_known_of_a_node_but_perhaps_its_log() -> None:
    log_only = read_evidence(pod(), occurrence=FAILED, node_log=["oom"]).node

    assert read_evidence(pod(), occurrence=FAILED).node is None
    assert log_only is not None
    assert (log_only.name, log_only.log_lines) == ("n1", ("oom",))


def test_what_could_not_be_had_is_passed_on() -> None:
    missing = MissingEvidence(what="log of main", reason="timed out")

    assert read_evidence(pod(), occurrence=FAILED, missing=[missing]).missing == (missing,)


ANNOTATED = pod(metadata={"annotations": {"failure-agent.dev/containers": "main, fetch,"}})


@pytest.mark.parametrize(
    ("seen", "given_ones", "expected", "why"),
    [
        (
            ANNOTATED,
            {"template": {"other"}, "injected": ["x"]},
            {"main", "fetch"},
            "the annotation failure-agent.dev/containers lists",
        ),
        (pod(), {"template": {"other"}, "injected": ["x"]}, {"other"}, "template"),
        (pod(metadata={"annotations": {"failure-agent.dev/containers": " , "}}), {}, None, "nothing says"),
        (pod(), {"injected": ["x"]}, None, "settings"),
        (pod(), {}, None, "nothing says"),
    ],
)
def test_who_says_which_containers_were_submitted(
    seen: objects.Pod, given_ones: dict[str, Any], expected: set[str] | None, why: str
) -> None:
    read = submission(seen, **given_ones)

    assert read.submitted == (None if expected is None else frozenset(expected))
    assert why in read.reason


def test_containers_are_marked_by_the_pods_annotation_or_the_argument() -> None:
    by_itself = read_evidence(ANNOTATED, occurrence=FAILED).pod.containers[0]
    as_told = read_evidence(pod(), occurrence=FAILED, submitted=Submission(injected=("m*",))).pod.containers[0]

    assert by_itself.injected is False
    assert as_told.injected is True


@given(st.builds(objects.Pod))
def test_an_empty_pod_is_evidence_too(seen: objects.Pod) -> None:
    assert read_evidence(seen, occurrence=FAILED).pod_error == ""


@pytest.mark.parametrize(
    ("metadata", "requested"),
    [
        ({}, None),
        ({"deletionTimestamp": ago(0), "deletionGracePeriodSeconds": 30}, NOW - timedelta(seconds=30)),
        ({"deletionTimestamp": ago(0)}, NOW),
        ({"deletionTimestamp": ago(0), "deletionGracePeriodSeconds": 10**18}, NOW),
    ],
)
def test_the_deletion_was_requested_a_grace_period_before_its_end(
    metadata: dict[str, Any], requested: datetime | None
) -> None:
    assert read_evidence(pod(metadata=metadata), occurrence=FAILED).deletion_requested_at == requested


LIMITED, EMPTY = {"resources": {"limits": {"memory": "1Gi"}}}, {"resources": {"requests": {"memory": "1Gi"}}}


@pytest.mark.parametrize(
    ("spec", "unlimited"),
    [
        ({"containers": [{"name": "a"} | EMPTY, {"name": "b"} | LIMITED, {"name": "unknown"}]}, ("a",)),
        ({"containers": [{"name": "a"} | LIMITED], "initContainers": [{"name": "setup", "resources": {}}]}, ("setup",)),
        ({"containers": [{"name": "a", "resources": {}}]} | LIMITED, ()),
        ({"containers": None}, ()),
    ],
)
def test_containers_without_a_memory_limit_are_known_by_the_spec(
    spec: dict[str, Any], unlimited: tuple[str, ...]
) -> None:
    assert read_evidence(pod(spec=spec), occurrence=FAILED).unlimited == unlimited


def test_the_nodes_log_may_name_the_pod_by_its_uid_containers_and_devices() -> None:
    uid, device = "8e6f3a4e-7c1b-4b8e-9a51-0f9b7f1f3c11", "GPU-d1816eb1-2926-4fbc-13f6-1cf1b0a0c2de"
    allocated = [{"name": "nvidia.com/gpu", "resources": [{"resourceID": device}, {"resourceID": "0"}]}]
    container = {
        "name": "main",
        "containerID": f"containerd://{'b' * 64}",
        "lastState": terminated(containerID=f"containerd://{'a' * 64}"),
        "allocatedResourcesStatus": allocated,
    }
    seen = pod({"phase": "Failed", "containerStatuses": [container]}, uid=uid)

    names = read_evidence(seen, occurrence=FAILED, node_log=["a line"]).known_as

    assert set(names) == {uid, uid.replace("-", "_"), "a" * 64, "b" * 64, device}


def test_the_namespace_is_the_pods_and_stripped() -> None:
    seen = objects.Pod(metadata=objects.Metadata(namespace="m\x1b[31ml", name="train"))

    assert read_evidence(seen, occurrence=FAILED).namespace == "ml"
