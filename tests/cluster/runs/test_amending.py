"""What a pod shows after the scheduler had it stopped follows from the stop, and changes no category."""

from pathlib import Path
from typing import Any

import pytest

from agent.core.failure import Failure
from agent.core.run_event import Amendment, PodReference, RunPhase, RunStopped
from tests.cluster.living import Living, eventually, failed, living
from tests.cluster.runs.commanding import TAKES_RUNS, Scheduler, create
from tests.simulator.api import PODS

HOPELESS = {"waiting": {"reason": "InvalidImageName", "message": "invalid reference format"}}
KILLED: dict[str, Any] = {"phase": "Failed", **failed(code=137, reason="OOMKilled")}


async def halted(life: Living, scheduler: Scheduler) -> PodReference:
    """A run whose pod cannot start, which is reported."""
    scheduler.send(create())
    pod = await scheduler.created()
    scheduler.start(pod)
    await scheduler.until(RunPhase.PENDING)
    waiting = {"name": "main", "image": "i", "state": HOPELESS}
    await life.set_status(pod.name, {"phase": "Pending", "containerStatuses": [waiting]})
    await scheduler.until(Failure)
    return pod


async def is_deleted(life: Living, pod: PodReference) -> bool:
    return "deletionTimestamp" in (await life.api.get(f"{PODS}/{pod.name}"))["metadata"]


@pytest.mark.parametrize("stopped", [True, False])
async def test_a_halted_run_keeps_its_category_once_it_is_stopped(tmp_path: Path, *, stopped: bool) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await halted(life, scheduler)
        if stopped:
            scheduler.stop(pod)
            await eventually(lambda: is_deleted(life, pod))
        await life.set_status(pod.name, KILLED)
        await scheduler.until(RunStopped if stopped else Amendment)
        amendments = scheduler.of_run("r1", Amendment)

    assert len(amendments) == (0 if stopped else 1)
