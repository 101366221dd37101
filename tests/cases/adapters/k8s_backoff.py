"""Adapter of ``k8s-backoff.json``."""

from datetime import datetime, timedelta
from typing import Any

from agent.core.job.backoff import (
    ZERO_TIME,
    BackoffRecord,
    LastFailure,
    Pace,
    due_indexes,
    next_record,
    remaining,
    remaining_of_index,
)
from agent.core.job.pod import finish_time
from tests.cases.adapter import Adapter, expect
from tests.cases.adapters.k8s_words import NOW, Written, job_pod, job_pods, plain_pods, started, sync, time
from tests.cases.case import Case


def _pace(data: Written) -> Pace:
    return Pace(base=timedelta(seconds=data["baseSeconds"]), most=timedelta(seconds=data["maxSeconds"]))


def _at(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else NOW + timedelta(milliseconds=milliseconds)


def _times(milliseconds: list[int]) -> list[datetime]:
    return [NOW + timedelta(milliseconds=one) for one in milliseconds]


def _record(case: Case) -> None:
    data, expected = case.data, case.data["expect"]
    store = data["store"]
    before = BackoffRecord(failures=store["failuresAfterLastSuccess"], last_failure=time(store["lastFailureTime"]))
    after = next_record(
        before, succeeded=_times(data["newSucceededFinishTimesMs"]), failed=_times(data["newFailedFinishTimesMs"])
    )
    expect(expected["failuresAfterLastSuccess"], after.failures, of="failures")
    expect(_at(expected["lastFailureTimeMs"]), after.last_failure, of="last failure")


def _remaining(case: Case) -> None:
    data: Any = case.data
    now = time(data["now"]) or NOW
    got = remaining(data["failuresAfterLastSuccess"], time(data["lastFailureTime"]), now=now, pace=_pace(data))
    expect(data["expectRemainingSeconds"], got.total_seconds(), of="remaining")


def _per_index(case: Case) -> None:
    data = case.data
    last = None
    if data["lastFailedPod"] is not None:
        pod = job_pod(data["lastFailedPod"])
        last = LastFailure(failures_before=pod.all_failures, finished_at=finish_time(pod) or ZERO_TIME)
    got = remaining_of_index(last, now=time(data["now"]) or NOW, pace=_pace(data))
    expect(data["expectRemainingSeconds"], got.total_seconds(), of="remaining")


def _creation(case: Case) -> None:
    data, expected = case.data, case.data["expect"]
    last = {
        int(index): LastFailure(
            failures_before=pod["failureCount"], finished_at=NOW - timedelta(seconds=pod["finishedSecondsAgo"])
        )
        for index, pod in data["podsWithDelayedDeletionPerIndex"].items()
    }
    now, wait = due_indexes(data["indexesToAdd"], last, now=NOW, pace=_pace(data))
    expect(expected["indexesToCreateNow"], now, of="indexes to create now")
    expect(expected["remainingSeconds"], wait.total_seconds(), of="remaining")


def _finish(case: Case) -> None:
    expect(time(case.data["expectFinishTime"]), finish_time(job_pod(case.data["pod"])), of="finish time")


def _on_failure(case: Case) -> None:
    finalizer = {"metadata": {"finalizers": ["batch.kubernetes.io/job-tracking"]}}
    sync(case.data, job_pods([{**finalizer, **pod} for pod in case.data["pods"]]))


def _never(case: Case) -> None:
    sync(case.data, plain_pods(Running=case.data["activePods"], Failed=case.data["failedPods"]))


def _deadline(case: Case) -> None:
    data = case.data
    pods = plain_pods(Running=data["activePods"], Succeeded=data["succeededPods"], Failed=data["failedPods"])
    sync(data, pods, start_time=started(data))


ADAPTER = Adapter(
    runs={
        "record_cases": _record,
        "remaining_cases": _remaining,
        "per_index_cases": _per_index,
        "creation_info_cases": _creation,
        "finish_time_cases": _finish,
        "on_failure_limit_cases": _on_failure,
        "never_limit_cases": _never,
        "deadline_cases": _deadline,
    }
)
