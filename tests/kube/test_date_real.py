"""The facts that the server clock relies on, on a real API server."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.date import DatedAnswer
from agent.observe.node_clock import scheduled_at
from agent.settings.kube import KubeSettings
from tests.servers.control_plane import ControlPlane
from tests.simulator.api import pod

pytestmark = pytest.mark.slow


def kubeconfig(plane: ControlPlane) -> KubeSettings:
    return KubeSettings(kubeconfig=Path(plane.kubeconfig()))


async def test_each_answer_of_a_real_server_has_its_time_and_no_sign_of_a_cache(control_plane: ControlPlane) -> None:
    heard: list[DatedAnswer] = []
    async with await Connection.open(kubeconfig(control_plane)) as connection:
        connection.on_date(heard.append)
        await connection.get("/api/v1/namespaces/kube-system")
        await connection.get("/api/v1/pods", {"limit": "1", "resourceVersion": "0"})
        async with connection.stream("/api/v1/pods", {"watch": "true"}, seconds=60, idle_seconds=60):
            assert len(heard) == 3

    assert all(timedelta(0) <= datetime.now(UTC) - answer.date < timedelta(seconds=60) for answer in heard)


def test_a_real_server_writes_when_a_pod_was_bound(control_plane: ControlPlane, namespace: str) -> None:
    client = control_plane.client()
    pods = f"/api/v1/namespaces/{namespace}/pods"
    client.create(pods, pod("a"))
    before = datetime.now(UTC).replace(microsecond=0)
    client.create(f"{pods}/a/binding", {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}})

    bound = msgspec.convert(client.get(f"{pods}/a"), objects.Pod, strict=False)
    at = scheduled_at(bound)
    assert at is not None
    assert before <= at <= datetime.now(UTC)
