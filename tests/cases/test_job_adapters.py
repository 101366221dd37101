"""Cases of Jobs as Kubernetes' own tests write them: gates of old, objects without defaults."""

from typing import Any

import pytest

from tests.cases.adapter import Adapter, Differs
from tests.cases.adapters import k8s_job_validation, k8s_pod_failure_policy
from tests.cases.case import Case


def play(adapter: Adapter, path: str, data: dict[str, Any]) -> None:
    case = Case(identity="a", path=path, group="", data=data)
    run = adapter.run_for(case)
    assert run is not None
    run(case)


def update(old: dict[str, Any], new: dict[str, Any], error: dict[str, str] | None) -> None:
    data = {"old": old, "new": new, "valid": error is None, "errorTypeAndField": error}
    play(k8s_job_validation.ADAPTER, "update_cases", data)


def matched(*, counts: bool) -> None:
    gates = {"JobPodFailurePolicy": True, "JobBackoffLimitPerIndex": False}
    expected = {"jobFailMessage": None, "countFailed": counts, "action": None}
    data = {"featureGates": gates, "podFailurePolicy": None, "pod": {"status": {"phase": "Failed"}}, "expect": expected}
    play(k8s_pod_failure_policy.ADAPTER, "match_cases", data)


def test_gates_that_no_release_knows_any_more_are_passed_over() -> None:
    matched(counts=True)
    with pytest.raises(Differs):
        matched(counts=False)


def test_an_indexed_job_that_lacks_completions_is_told_so() -> None:
    indexed = {"completionMode": "Indexed", "completions": 2, "parallelism": 2}
    missing = {"type": "Required", "field": "spec.completions", "detail": "when completion mode is Indexed"}
    update(indexed, {"completionMode": "Indexed"}, missing)
    update(indexed, {"completionMode": "Indexed", "parallelism": 2}, missing)
    with pytest.raises(Differs):
        update(indexed, indexed, missing)


def test_what_defaults_fill_in_is_no_change() -> None:
    update(
        {}, {"completions": 1, "parallelism": 1, "completionMode": "NonIndexed", "podReplacementPolicy": "Failed"}, None
    )
    with pytest.raises(Differs):
        update({}, {"completions": 2, "parallelism": 1, "completionMode": "NonIndexed"}, None)
