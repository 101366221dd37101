"""The code that Harvester's Kubernetes plugin gives a failed worker: ``supErrorCode``.

Harvester polls: it sees the remaining state, never events, conditions or ``status.reason``. Source: HSF/harvester
pandaharvester/harvestermonitor/k8s_monitor.py at d561b72f.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.classify.pattern import compile_pattern
from agent.core.evidence import Container, ContainerKind, Pod, StateKind

SUP_ERROR = "supErrorCode"
GENERAL_ERROR = 9000

PATTERNS: tuple[tuple[int, str], ...] = (
    (6801, "Job has reached the specified backoff limit"),
    (6810, "Pod was rejected: Node didn't have enough resource: .*"),
    (6814, "Pod was rejected: .*"),
    (6815, "Pod was active on the node longer than the specified deadline"),
    (6819, "Pod was .*"),
    (6881, "Failed to get status for id=.*"),
    (6882, "JOB id=.* not found"),
    (6883, r"container not terminated yet \(.*\) while pod Succeeded"),
    (6884, "container terminated by k8s for reason .*"),
)
"""The code of the first pattern found in the message, else ``GENERAL_ERROR``."""

WRAPPER_EXITS = {
    1: "wrapper fault",
    2: "wrapper killed stuck pilot",
    64: "wrapper got cvmfs repos issue",
    80: "pilot proxy invalid or with insufficient timeleft",
}
"""The meaning of the exit codes of the pilot's wrapper."""

_STATES = {StateKind.RUNNING: "running", StateKind.WAITING: "waiting"}
_FINAL_OF_JOB = ("Complete", "Failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerJob:
    """The batch Job of a worker: its first condition."""

    condition: str
    reason: str | None = ""
    message: str | None = ""
    succeeded: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerError:
    """The code and message. Both are ``None`` if Harvester fails on its input and reports nothing."""

    code: int | None = 0
    diag: str | None = ""


UNREADABLE = WorkerError(code=None, diag=None)


def worker_error(pod: Pod | None, job: WorkerJob | None, *, job_name: str) -> WorkerError:
    """The error of a worker: a pod has precedence over its Job, unless it runs and the Job has ended."""
    if pod is None and job is None:
        return _of_message(f"JOB id={job_name} not found")
    ended = job is not None and (bool(job.succeeded or job.failed) or job.condition in _FINAL_OF_JOB)
    if job is not None and (pod is None or (ended and pod.phase not in ("Failed", "Succeeded"))):
        return _of_job(job)
    return WorkerError() if pod is None else _of_pod(pod)


def _of_job(job: WorkerJob) -> WorkerError:
    if job.succeeded or job.condition == "Complete":
        return WorkerError()
    if not job.failed and job.condition != "Failed":
        return WorkerError()
    if job.message is None or job.reason is None:
        return UNREADABLE
    return _of_message(job.message + job.reason)


def _of_pod(pod: Pod) -> WorkerError:
    containers = [container for container in pod.containers if container.kind is ContainerKind.APP]
    if pod.phase == "Succeeded":
        return _of_message(_unfinished(containers))
    if pod.phase != "Failed":
        return WorkerError()
    codes = [container.state.exit_code for container in containers if container.state.exit_code]
    if not codes:
        return _of_message(pod.message)
    said = (WRAPPER_EXITS.get(codes[-1], ""), pod.message)
    return WorkerError(code=codes[-1], diag=" ; ".join(filter(None, said)))


def _unfinished(containers: Sequence[Container]) -> str:
    """What is unexpected about the containers of a pod that succeeded: one part each, empty if nothing is."""
    if all(
        container.state.kind is StateKind.TERMINATED and container.state.reason == "Completed"
        for container in containers
    ):
        return ""
    return ";".join(_unexpected(container) for container in containers)


def _unexpected(container: Container) -> str:
    state = container.state
    if state.kind is not StateKind.TERMINATED:
        return f"container not terminated yet ({_STATES.get(state.kind, 'UNKNOWN')}) while pod Succeeded"
    return "" if state.reason == "Completed" else f"container terminated by k8s for reason {state.reason}"


def _of_message(message: str) -> WorkerError:
    if not message:
        return WorkerError()
    data = message.encode("utf-8", "replace")
    found = (code for code, pattern in PATTERNS if compile_pattern(pattern).search(data) is not None)
    return WorkerError(code=next(found, GENERAL_ERROR), diag=message)
