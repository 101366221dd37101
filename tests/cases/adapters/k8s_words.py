"""What the files of Kubernetes' cases write, in our words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from agent.core.job.advance import advance
from agent.core.job.counters import Counters, open_job
from agent.core.job.defaults import defaulted
from agent.core.job.gates import KNOWN, Gates, gates_of
from agent.core.job.indexes import IndexSet
from agent.core.job.pod import JobPod
from agent.core.job.reading import read_spec, read_status
from agent.core.job.status import JobStatus
from agent.core.job.words import INDEXED, TRACKING_FINALIZER, JobSpec
from agent.kube import objects
from agent.observe.job_pod import read_job_pod
from tests.cases.adapter import expect

NOW = datetime(2009, 11, 10, 23, tzinfo=UTC)
LONG_AGO = "2000-01-01T00:00:00Z"
INDEX = "batch.kubernetes.io/job-completion-index"

_TIME_WORD = re.compile(r"now(?P<seconds>[-+]\d+)?s?")

Written = Mapping[str, Any]


def time(written: object) -> datetime | None:
    """A time of a case, ``None`` where it has none."""
    return None if written is None else datetime.fromisoformat(str(written))


def job_pod(written: Written, *, uid: str = "") -> JobPod:
    """A pod of a case; its times may be words."""
    read = read_job_pod(msgspec.convert(_with_times(written), objects.Pod))
    return replace(read, uid=uid or read.uid, namespace=read.namespace or "default")


def job_pods(written: Sequence[Written], *, untracked: Sequence[str] = ()) -> list[JobPod]:
    """The pods of a case, each with a uid of its own; those named in ``untracked`` have lost their finalizer."""
    made = [job_pod(one, uid=f"uid-{number}") for number, one in enumerate(written)]
    return [replace(pod, tracked=pod.tracked and pod.name not in untracked) for pod in made]


def indexed_pods(written: Sequence[Written]) -> list[JobPod]:
    """The pods that a case writes as an index and a phase; all have their finalizer."""
    return job_pods(
        [
            {
                "metadata": {
                    "annotations": {} if one["index"] is None else {INDEX: one["index"]},
                    "finalizers": [TRACKING_FINALIZER],
                },
                "status": {"phase": one["phase"]},
            }
            for one in written
        ]
    )


def plain_pods(**phases: int) -> list[JobPod]:
    """So many pods of each phase, with their finalizer."""
    return job_pods(
        [
            {"metadata": {"finalizers": [TRACKING_FINALIZER]}, "status": {"phase": phase}}
            for phase, count in phases.items()
            for _ in range(count)
        ]
    )


def per_index_spec(data: Written) -> JobSpec:
    """The Indexed Job of a case that says ``completions`` and maybe the rest."""
    fields = ("completions", "backoffLimitPerIndex", "maxFailedIndexes", "podFailurePolicy")
    written = {name: data[name] for name in fields if data.get(name) is not None}
    return defaulted(read_spec({"completionMode": INDEXED, **written}))


def intervals(written: Sequence[Sequence[int]]) -> IndexSet:
    return IndexSet([(first, last) for first, last in written])


def plain_intervals(indexes: IndexSet) -> list[list[int]]:
    """A set of indexes as the cases write it."""
    return [list(each) for each in indexes.intervals()]


def gates_in(data: Written) -> Gates:
    """The gates of a case; those of older releases that no release knows any more are on, whatever it says."""
    return gates_of({name: on for name, on in data.get("featureGates", {}).items() if name in KNOWN})


def sync(data: Written, pods: Sequence[JobPod], *, start_time: datetime | None = None) -> None:
    """Go one step with a Job, and hold its status against what the case expects.

    When the cases were written, JobManagedBy was off unless a test switched it on.
    """
    job, gates = data["job"], gates_in({"featureGates": {"JobManagedBy": False, **data.get("featureGates", {})}})
    status = read_status(job.get("status", {}))
    if start_time is not None:
        status = replace(status, start_time=start_time)
    counters = open_job(defaulted(read_spec(job["spec"]), gates=gates), status=status, pods=pods, gates=gates)
    advance(counters, (), now=NOW)
    _expect(data["expect"], counters)


def started(data: Written) -> datetime:
    """When the Job of a case was started."""
    return NOW - timedelta(seconds=data["startedSecondsAgo"])


def _expect(expected: Written, counters: Counters) -> None:
    got = _plain(counters.report())
    for name, value in expected.items():
        expect(value, got[name], of=name)


def _plain(status: JobStatus) -> dict[str, object]:
    conditions = [
        {"type": one.type, "status": one.status, "reason": one.reason, "message": one.message}
        for one in status.conditions
        if one.status == "True"
    ]
    return {
        "active": status.active,
        "succeeded": status.succeeded,
        "failed": status.failed,
        "terminating": status.terminating,
        "completedIndexes": status.completed_indexes,
        "failedIndexes": status.failed_indexes,
        "conditions": conditions,
    }


def _with_times(written: object) -> object:
    """The same with words for times as times."""
    if isinstance(written, Mapping):
        return {key: _with_times(value) for key, value in written.items()}
    if isinstance(written, list):
        return [_with_times(value) for value in written]
    if not isinstance(written, str):
        return written
    word = _TIME_WORD.fullmatch(written)
    if word is None:
        return LONG_AGO if written == "long ago" else written
    return (NOW + timedelta(seconds=int(word["seconds"] or 0))).isoformat()
