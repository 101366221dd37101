"""Adapter of ``k8s-indexed.json``."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from agent.core.job.advance import advance, is_index_failed
from agent.core.job.counters import Counters, open_job
from agent.core.job.finishing import why_ended
from agent.core.job.index_text import IndexTextError, count_indexes, overlap_at
from agent.core.job.indexes import parse
from agent.core.job.manage import pods_to_remove
from agent.core.job.naming import generate_name, next_failure_counts
from agent.core.job.pod import JobPod, read_failure_count
from agent.core.job.reading import read_policy
from agent.core.job.status import JobStatus
from agent.core.job.words import JobSpec
from tests.cases.adapter import Adapter, expect
from tests.cases.adapters.k8s_words import (
    NOW,
    Written,
    indexed_pods,
    intervals,
    job_pod,
    job_pods,
    per_index_spec,
    plain_intervals,
    sync,
)
from tests.cases.case import Case


def _stepped(data: Written, pods: Sequence[JobPod], status: JobStatus) -> Counters:
    counters = open_job(per_index_spec(data), status=status, pods=pods)
    advance(counters, (), now=NOW)
    return counters


def _succeeded(case: Case) -> None:
    data, expected = case.data, case.data["expect"]
    status = JobStatus(completed_indexes=data["prevCompletedIndexes"])
    before = open_job(per_index_spec(data), status=status).succeeded
    after = _stepped(data, indexed_pods(data["podsWithFinalizer"]), status).succeeded
    expect(expected["statusIntervals"], plain_intervals(before), of="intervals of the status")
    expect(expected["withNewPodsIntervals"], plain_intervals(after), of="intervals")
    expect(expected["count"], len(after), of="count")
    expect(expected["formatted"], str(after), of="text")


def _text(case: Case) -> None:
    data = case.data
    if data["op"] == "format":
        expect(data["expect"], str(intervals(data["intervals"])), of="text")
    else:
        expect(data["expect"], plain_intervals(parse(data["text"], completions=data["completions"])), of="intervals")


def _is_failed(case: Case) -> None:
    counters = open_job(per_index_spec(case.data))
    expect(case.data["expect"], is_index_failed(counters, job_pod(case.data["pod"])), of="failed")


def _failed(case: Case) -> None:
    data, expected = case.data, case.data["expect"]
    failed = _stepped(data, job_pods(data["pods"]), JobStatus(failed_indexes=data["prevFailedIndexes"])).failed
    expect(expected["intervals"], plain_intervals(failed), of="intervals")
    expect(expected["total"], len(failed), of="total")
    expect(expected["formatted"], str(failed), of="text")


def _held(case: Case) -> None:
    pods = job_pods(case.data["pods"], untracked=case.data["expectedRmFinalizers"])
    held = _stepped(case.data, pods, JobStatus()).held
    expect(case.data["expectPodNames"], sorted(pod.name for pod in held.values()), of="held pods")


def _counts(case: Case) -> None:
    data, expected = case.data, case.data["expect"]
    replaced = None if data["podBeingReplaced"] is None else job_pod(data["podBeingReplaced"])
    written = data["podFailurePolicy"]
    spec = JobSpec(pod_failure_policy=None if written is None else read_policy(written))
    counts = next_failure_counts(replaced, spec)
    expect((expected["jobIndexFailureCount"], expected["jobIndexIgnoredFailureCount"]), counts, of="counts")


def _annotation(case: Case) -> None:
    expect(case.data["expect"], read_failure_count(case.data["annotation"]), of="count")


def _has(case: Case) -> None:
    expect(case.data["expect"], case.data["index"] in intervals(case.data["intervals"]), of="index is in")


def _pending(case: Case) -> None:
    data = case.data
    status = JobStatus(
        completed_indexes=str(intervals(data["succeededIntervals"])),
        failed_indexes=str(intervals(data["failedIntervals"])),
    )
    spec = per_index_spec({**data, "backoffLimitPerIndex": 1})
    counters = open_job(spec, status=status, pods=indexed_pods(data["activePods"]))
    got = list(islice(counters.taken.gaps(data["completions"]), data["count"]))
    expect(data["expect"], got, of="pending indexes")


def _surplus(case: Case) -> None:
    data = case.data
    pods = indexed_pods(data["pods"])
    removed = {pod.uid for pod in pods_to_remove(open_job(per_index_spec(data), pods=pods), 0)}
    written = dict(zip((pod.uid for pod in pods), data["pods"], strict=True))
    for name, wanted in (("expectRemove", True), ("expectLeft", False)):
        got = [one for uid, one in written.items() if (uid in removed) is wanted]
        expect(_bag(data[name]), _bag(got), of=name)


def _bag(pods: Sequence[Written]) -> Counter[tuple[str, str]]:
    return Counter((str(pod["index"]), pod["phase"]) for pod in pods)


def _name(case: Case) -> None:
    expect(case.data["expectGenerateName"], generate_name(case.data["jobName"], case.data["index"]), of="name")


def _checked(case: Case) -> None:
    got: dict[str, object]
    try:
        got = {"total": count_indexes(case.data["text"], completions=case.data["completions"])}
    except IndexTextError as error:
        got = {"error": str(error)}
    expect(case.data["expect"], got, of="check")


def _overlap(case: Case) -> None:
    data = case.data
    at = overlap_at(data["completedIndexes"], data["failedIndexes"], completions=data["completions"])
    said = None if at is None else f"failedIndexes and completedIndexes overlap at index: {at}"
    expect(data["expect"]["error"], said, of="error")


def _sync(case: Case) -> None:
    sync(case.data, job_pods(case.data["pods"]))


def _limit(case: Case) -> None:
    data = case.data
    status = JobStatus(completed_indexes=data["completedIndexes"], failed_indexes=data["failedIndexes"])
    counters = open_job(per_index_spec({"backoffLimitPerIndex": 1, **data}), status=status)
    ended = why_ended(counters, failed=0, now=NOW)
    expect(data["expectReason"], None if ended is None else ended.reason, of="reason")


ADAPTER = Adapter(
    runs={
        "succeeded_indexes_cases": _succeeded,
        "format_parse_cases": _text,
        "is_index_failed_cases": _is_failed,
        "calculate_failed_indexes_cases": _failed,
        "delayed_deletion_cases": _held,
        "new_failure_count_cases": _counts,
        "failure_count_annotation_cases": _annotation,
        "interval_has_index_cases": _has,
        "first_pending_indexes_cases": _pending,
        "append_duplicated_cases": _surplus,
        "pod_generate_name_cases": _name,
        "validate_indexes_string_cases": _checked,
        "overlap_cases": _overlap,
        "sync_cases": _sync,
        "max_failed_indexes_cases": _limit,
    }
)
