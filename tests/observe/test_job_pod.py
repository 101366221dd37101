"""Pods as Jobs look at them: annotations and times as somebody may have written them."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from agent.core.job.pod import JobPod, finish_time
from agent.kube import objects
from agent.observe.job_pod import read_job_pod

ZERO = "0001-01-01T00:00:00Z"
CREATED = "2026-01-01T00:00:00Z"


def read(*, metadata: dict[str, object] | None = None, status: dict[str, object] | None = None) -> JobPod:
    return read_job_pod(msgspec.convert({"metadata": metadata or {}, "status": status or {}}, objects.Pod))


@pytest.mark.parametrize(("text", "count"), [("0" * 4400, 0), ("0" * 4400 + "7", 7), ("7" * 4400, 0), ("-0", 0)])
def test_failure_counts_of_any_length_are_read(text: str, count: int) -> None:
    pod = read(metadata={"annotations": {"batch.kubernetes.io/job-index-failure-count": text}})

    assert pod.failure_count == count


def test_gos_zero_time_is_no_time() -> None:
    ended = {"name": "main", "state": {"terminated": {"exitCode": 1, "finishedAt": ZERO}}}
    unready = {"type": "Ready", "status": "False", "lastTransitionTime": ZERO}
    pod = read(metadata={"creationTimestamp": CREATED}, status={"containerStatuses": [ended], "conditions": [unready]})

    assert finish_time(pod) == datetime.fromisoformat(CREATED)
    assert read(metadata={"creationTimestamp": ZERO}).created_at is None


@pytest.mark.parametrize(("seconds", "grace"), [(30, 30), (None, 0), (2**63 - 1, -1)])
def test_a_grace_without_end_is_read_as_go_reads_it(seconds: int | None, grace: int) -> None:
    """``terminationGracePeriodSeconds: 9223372036854775807`` is written where people mean for ever."""
    pod = read(metadata={"deletionTimestamp": CREATED, "deletionGracePeriodSeconds": seconds})

    assert pod.grace == timedelta(seconds=grace)
    assert finish_time(pod) == datetime(2026, 1, 1, tzinfo=UTC) - timedelta(seconds=grace)
