"""A running pod's state is not kept: when its deadline has passed it is asked for."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.core.failure import Failure
from tests.cluster.living import Living, eventually, living
from tests.simulator.api import PODS, Json, pod

RUNNING = {"containerStatuses": [{"name": "main", "image": "i", "ready": True, "state": {"running": {}}}]}


async def start(life: Living, name: str) -> Json:
    body = pod(name)
    body["spec"] |= {"activeDeadlineSeconds": 1, "terminationGracePeriodSeconds": 0}
    await life.api.create(PODS, body)
    begun = datetime.now(UTC).isoformat()
    status = {"phase": "Running", "startTime": begun, **RUNNING}
    return await life.api.patch(f"{PODS}/{name}/status", {"status": status})


async def refused(life: Living) -> bool:
    return (await life.api.requests()).get("get pods", 0) > 1


@pytest.mark.slow
async def test_a_running_pod_past_its_deadline_is_reported_as_it_is_then(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(deadlines={"activeGrace": "0s"}) as running:
        uid = (await start(life, "a"))["metadata"]["uid"]
        await eventually(lambda: (known := running.agent.controller._pods.get(uid)) is not None and known.over is False)
        known = running.agent.controller._pods.get(uid)
        assert known is not None
        assert known.pod is None

        assert await life.until_reported(1) == [("a", "deadline-exceeded", "internal")]

        (event,) = life.events()
        assert isinstance(event.event, Failure)
        assert event.event.pod.phase == "Running"


@pytest.mark.slow
async def test_a_server_that_does_not_answer_is_asked_again(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(deadlines={"activeGrace": "0s"}):
        await life.api.add_fault(kind="status", verb="get", resource="pods", code=500)
        await start(life, "a")
        await eventually(lambda: refused(life))
        assert life.reported() == []
        await life.api.clear_faults()

        assert await life.until_reported(1) == [("a", "deadline-exceeded", "internal")]


async def test_a_pod_that_ended_in_time_is_not_fetched(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(deadlines={"activeGrace": "0s"}):
        await start(life, "a")
        await life.fail("a", code=137, reason="OOMKilled")

        assert await life.until_reported(1) == [("a", "pod-failed", "memory")]
