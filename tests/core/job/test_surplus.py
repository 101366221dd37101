"""Which pods are deleted first if there are too many (``controller.ActivePods`` of kubernetes/kubernetes)."""

from datetime import UTC, datetime

import pytest

from agent.core.evidence import ContainerKind
from agent.core.job.counters import open_job
from agent.core.job.manage import pods_to_remove
from agent.core.job.pod import RUNNING, JobContainer, JobPod
from agent.core.job.words import JobSpec

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def pod(uid: str, *, app: int, sidecar: int) -> JobPod:
    containers = (
        JobContainer(name="main", restarts=app),
        JobContainer(name="proxy", kind=ContainerKind.SIDECAR, restarts=sidecar),
        JobContainer(name="before", kind=ContainerKind.INIT, restarts=100 - sidecar),
    )
    return JobPod(uid=uid, name=uid, phase=RUNNING, assigned=True, created_at=NOW, containers=containers)


@pytest.mark.parametrize("turned", [False, True])
def test_restarts_of_sidecars_decide_if_those_of_apps_are_equal(turned: bool) -> None:  # noqa: FBT001 - a parameter of the test
    pods = [pod("few", app=1, sidecar=0), pod("many", app=1, sidecar=5), pod("apps", app=2, sidecar=0)]
    counters = open_job(JobSpec(completions=3, parallelism=1), pods=pods[::-1] if turned else pods)

    assert [removed.uid for removed in pods_to_remove(counters, 3)] == ["apps", "many", "few"]
