"""Our Job engine beside Kubernetes' own Job controller, in step; what differs is a row of docs/jobs.md."""

import secrets

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.core.job.drawn import Drawn, jobs
from tests.core.job.lockstep import Pair
from tests.servers.control_plane import ControlPlane

SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def played(drawn: Drawn, server: ControlPlane, namespace: str) -> None:
    pair = Pair(client=server.client(), namespace=namespace, name=f"j-{secrets.token_hex(4)}", drawn=drawn)
    pair.begin()
    for blows in drawn.steps:
        pair.strike(blows)


@pytest.mark.slow
@pytest.mark.timeout(900)
@settings(max_examples=50, deadline=None, suppress_health_check=SHARED, phases=PHASES)
@given(drawn=jobs())
def test_differential_job_50_draws(drawn: Drawn, job_controller: ControlPlane, namespace: str) -> None:
    played(drawn, job_controller, namespace)


@pytest.mark.long
@pytest.mark.timeout(3600)
@settings(max_examples=500, deadline=None, suppress_health_check=SHARED, phases=PHASES)
@given(drawn=jobs())
def test_differential_job_500_draws(drawn: Drawn, job_controller: ControlPlane, namespace: str) -> None:
    played(drawn, job_controller, namespace)
