"""Harvester's Kubernetes cases: the code and message of a worker, by a pure function over the pod's status."""

from collections.abc import Mapping
from typing import Any

from agent.core.error_table.worker_error import WorkerJob, worker_error
from agent.core.evidence import Container, ContainerKind, ContainerState, Pod, StateKind
from tests.cases.adapter import Adapter, expect
from tests.cases.case import Case

Words = Mapping[str, Any]


def run(case: Case) -> None:
    """Compare code and message; the worker's status, pods deleted and what was raised are Harvester's own."""
    pod, job, result = case.data["pod"], case.data["job"], case.data["result"]
    said = worker_error(None if pod is None else _pod(pod), None if job is None else _job(job), job_name="J")
    expect(result["supErrorCode"], said.code, of="supErrorCode")
    expect(result["supErrorDiag"], said.diag, of="supErrorDiag")


def _pod(pod: Words) -> Pod:
    containers = tuple(
        Container(name=f"c{number}", kind=ContainerKind.APP, state=_state(one))
        for number, one in enumerate(pod["containers"])
    )
    return Pod(phase=pod["phase"], message=pod.get("message", ""), containers=containers)


def _state(container: Words) -> ContainerState:
    if "term" in container:
        reason, code = container["term"]
        return ContainerState(kind=StateKind.TERMINATED, reason=reason, exit_code=code)
    if "waiting" in container:
        return ContainerState(kind=StateKind.WAITING, reason=container["waiting"])
    return ContainerState(kind=StateKind.RUNNING)


def _job(job: Words) -> WorkerJob:
    return WorkerJob(
        condition=job["condition"],
        reason=job.get("reason", ""),
        message=job.get("message", ""),
        succeeded=job.get("succeeded", 0),
        failed=job.get("failed", 0),
    )


ADAPTER = Adapter(runs={"cases": run})
