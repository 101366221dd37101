"""Adapter of ``k8s-pod-failure-policy.json``."""

from agent.core.job.match import match
from agent.core.job.reading import read_policy
from tests.cases.adapter import Adapter, expect
from tests.cases.adapters.k8s_words import gates_in, job_pod, job_pods, sync
from tests.cases.case import Case


def _match(case: Case) -> None:
    data, expected = case.data, case.data["expect"]
    written = data["podFailurePolicy"]
    policy = None if written is None else read_policy(written)
    got = match(policy, job_pod(data["pod"]), gates=gates_in(data))
    expect(expected["jobFailMessage"], got.message, of="message")
    expect(expected["countFailed"], got.counts, of="counted")
    expect(expected["action"], got.action, of="action")


def _sync(case: Case) -> None:
    sync(case.data, job_pods(case.data["pods"]))


ADAPTER = Adapter(runs={"match_cases": _match, "sync_cases": _sync})
