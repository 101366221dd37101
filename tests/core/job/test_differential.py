"""Our Job engine beside Kubernetes' own Job controller, in step; what differs is a row of docs/jobs.md."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings

from agent.core.job.gates import ALL_ON, Gates, gates_of
from tests.core.job.drawn import Blow, Drawn, jobs
from tests.core.job.lockstep import Pair
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.patience import until

SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


@dataclass(frozen=True)
class Off:
    """Gates that are off: for the controller, and where ``everywhere`` is true for the API server as well."""

    named: tuple[str, ...] = ()
    everywhere: bool = False

    @property
    def gates(self) -> Gates:
        return gates_of(dict.fromkeys(self.named, False))

    @property
    def options(self) -> Options:
        """Flags that take the gates off; today they are locked, so Kubernetes is to do as 1.32 did."""
        named = ",".join(f"{name}=false" for name in self.named)
        flags = ("--emulated-version=kube=1.32", f"--feature-gates={named}")
        return Options(api_server=flags if self.everywhere else (), controllers=flags)


OFF = (
    Off(("JobBackoffLimitPerIndex",)),
    Off(("JobSuccessPolicy",)),
    Off(("JobPodReplacementPolicy",)),
    Off(("JobPodReplacementPolicy", "JobManagedBy"), everywhere=True),
    Off(
        ("JobBackoffLimitPerIndex", "JobSuccessPolicy", "JobPodReplacementPolicy", "JobManagedBy"),
        everywhere=True,
    ),
)


ANY_OF_THREE = Drawn(
    spec={
        "parallelism": 3,
        "completions": 3,
        "podReplacementPolicy": "Failed",
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "example"}],
                "nodeName": "nowhere",
            }
        },
    },
    steps=[[Blow("parallelism", 2)], [Blow("exit", 0)], [Blow("exit", 1)], [Blow("tear down", 0)]],
    lingering=True,
)
"""Of three pods that look alike Kubernetes removes one: any, so each is possible."""

ANY_IS_NAMED = Drawn(
    spec={
        "parallelism": 3,
        "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]},
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}},
    },
    steps=[[Blow("exit", 2), Blow("exit", 0), Blow("exit", 1)]],
)
"""Of three pods that fail the Job at once Kubernetes names any."""

COMPLETE_AT_ONCE = Drawn(
    spec={
        "parallelism": 3,
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}},
    },
    steps=[[Blow("succeed", 0)], [Blow("exit", 0)], [Blow("suspend")]],
)
"""Without an interim condition a Job counts pods as failed that it removes in the step that completes it."""


def played(drawn: Drawn, server: ControlPlane, namespace: str, off: Off | None = None) -> None:
    known = off or Off()
    pair = Pair(
        client=server.client(),
        namespace=namespace,
        name=f"j-{secrets.token_hex(4)}",
        drawn=drawn,
        gates=known.gates,
        api_gates=known.gates if known.everywhere else ALL_ON,
    )
    pair.begin()
    for blows in drawn.steps:
        pair.strike(blows)


@pytest.fixture
def gated(start_control_plane: Callable[[Options], ControlPlane], request: pytest.FixtureRequest) -> ControlPlane:
    """A control plane of the test's own whose Job controller has gates off."""
    server = start_control_plane(request.getfixturevalue("off").options)
    server.run_controllers("job-controller")
    return server


@pytest.mark.slow
@pytest.mark.timeout(240)  # a real Job controller takes seconds for each draw
@settings(max_examples=12, deadline=None, suppress_health_check=SHARED, phases=PHASES)
@example(drawn=ANY_OF_THREE)
@example(drawn=ANY_IS_NAMED)
@given(drawn=jobs())
def test_differential_job_12_draws(drawn: Drawn, job_controller: ControlPlane, namespace: str) -> None:
    played(drawn, job_controller, namespace)


@pytest.mark.slow
def test_differential_job_suspended_past_its_deadline(job_controller: ControlPlane, namespace: str) -> None:
    """A row of docs/jobs.md: the deadline is asked before a Job that goes on begins its time anew."""
    client, name = job_controller.client(), f"j-{secrets.token_hex(4)}"
    job = f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}"
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}}
    spec = {"activeDeadlineSeconds": 2, "template": template}
    client.create(job.removesuffix(f"/{name}"), {"metadata": {"name": name}, "spec": spec})
    until(lambda: client.get(job)["status"].get("active") == 1, "at work")
    client.patch(job, {"spec": {"suspend": True}})
    until(lambda: client.get(job)["status"].get("active", 0) == 0, "suspended")
    time.sleep(2.5)
    client.patch(job, {"spec": {"suspend": False}})

    def reasons() -> list[str]:
        conditions = client.get(job)["status"].get("conditions", [])
        return [condition["reason"] for condition in conditions if condition["type"] == "Failed"]

    until(lambda: reasons() != [], "failed")
    assert reasons() == ["DeadlineExceeded"]


@pytest.mark.slow
@pytest.mark.timeout(240)  # as above, and a control plane of its own
@pytest.mark.parametrize("off", [OFF[0], OFF[-1]], ids=lambda off: "-".join(off.named))
@settings(max_examples=5, deadline=None, suppress_health_check=SHARED, phases=PHASES)
@example(drawn=COMPLETE_AT_ONCE)
@given(drawn=jobs())
def test_differential_job_with_gates_off(drawn: Drawn, gated: ControlPlane, off: Off) -> None:
    played(drawn, gated, "default", off)


@pytest.mark.long
@pytest.mark.timeout(1800)  # as above, 100 draws
@pytest.mark.parametrize("off", OFF, ids=lambda off: "-".join(off.named))
@settings(max_examples=100, deadline=None, suppress_health_check=SHARED, phases=PHASES)
@given(drawn=jobs())
def test_differential_job_with_gates_off_100_draws(drawn: Drawn, gated: ControlPlane, off: Off) -> None:
    played(drawn, gated, "default", off)


@pytest.mark.long
@pytest.mark.timeout(3600)  # as above, 500 draws
@settings(max_examples=500, deadline=None, suppress_health_check=SHARED, phases=PHASES)
@given(drawn=jobs())
def test_differential_job_500_draws(drawn: Drawn, job_controller: ControlPlane, namespace: str) -> None:
    played(drawn, job_controller, namespace)
