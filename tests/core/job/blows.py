"""What blows do to pods."""

from dataclasses import replace
from datetime import datetime

from agent.core.job.pod import JobContainer, JobPod, PodCondition
from tests.core.job.drawn import Blow


def may(pod: JobPod, blow: Blow) -> bool:
    """Whether a kubelet would do that to this pod; those that have ended can only be swept."""
    if pod.terminal or blow.kind == "sweep":
        return pod.terminal and blow.kind == "sweep"
    if blow.kind == "tear down":
        return pod.deleted_at is not None and pod.assigned
    return not (blow.kind in ("run", "ready", "restart", "delete") and pod.deleted_at is not None)


def struck_by(pod: JobPod, blow: Blow, now: datetime) -> JobPod:
    """The pod after a blow."""
    ended = {"succeed": ("Succeeded", 0), "exit": ("Failed", blow.code), "disrupt": ("Failed", 143)}
    if blow.kind in ended:
        phase, code = ended[blow.kind]
        disrupted = PodCondition(type="DisruptionTarget", status="True")
        restarts = sum(container.restarts for container in pod.containers)
        container = JobContainer(name="main", exit_code=code, restarts=restarts)
        return replace(pod, phase=phase, containers=(container,), conditions=(disrupted,) * (blow.kind == "disrupt"))
    if blow.kind == "delete":
        return replace(pod, deleted_at=now)
    if blow.kind == "tear down":
        return replace(pod, assigned=False)
    if blow.kind == "sweep":  # the API server waits for no kubelet where a pod has ended
        return replace(pod, deleted_at=pod.deleted_at or now, assigned=False)
    restarts = sum(container.restarts for container in pod.containers) + (blow.kind == "restart")
    ready = (PodCondition(type="Ready", status="True"),)
    marks: tuple[PodCondition, ...] = ready if blow.kind == "ready" else pod.conditions
    return replace(pod, phase="Running", containers=(JobContainer(name="main", restarts=restarts),), conditions=marks)
