"""The end of a pod that was reported before anything confirmed it is confirmed later, also if nobody asks."""

from pathlib import Path

from agent.core.failure import Failure
from agent.core.run_event import Confirmation, RunStopped, StopAnswer
from tests.cluster.living import Living, Running, eventually, failed, living
from tests.cluster.run_events import run_events
from tests.cluster.runs.commanding import MAIN_RUNS, TAKES_RUNS, Scheduler

WRITTEN_OFF = {"phase": "Failed", "containerStatuses": [MAIN_RUNS]}
"""As PodGC does it with a pod of a lost node."""


async def is_released(life: Living, name: str) -> bool:
    return not await life.is_held(name)


def is_spooled(running: Running) -> bool:
    """Whether a failure waits for the broker."""
    waiting = running.spool.unacknowledged(after=0, at_most=100)
    return any(isinstance(event.event, Failure) for event in run_events(row.payload for row in waiting))


async def test_the_end_is_confirmed_when_the_node_is_back_before_any_stop(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        await life.set_status(pod.name, WRITTEN_OFF)
        (failure,) = await scheduler.until(Failure)
        held = await life.is_held(pod.name)
        await life.set_status(pod.name, failed(code=137))
        (told,) = await scheduler.until(RunStopped)
        await eventually(lambda: is_released(life, pod.name))

    assert (failure.confirmed, held) == (None, True)
    assert told.event == RunStopped(answer=StopAnswer.FAILED_BEFORE)
    assert told.confirmed is Confirmation.CONTAINERS


async def test_the_end_is_confirmed_by_the_next_process(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent(**TAKES_RUNS):
            scheduler = await Scheduler.of(life)
            pod = await scheduler.running()
            await life.set_status(pod.name, WRITTEN_OFF)
            await scheduler.until(Failure)
        await life.set_status(pod.name, failed(code=137))
        async with life.agent(**TAKES_RUNS):
            (told,) = await scheduler.until(RunStopped)

    assert told.confirmed is Confirmation.CONTAINERS


async def test_an_end_that_its_failure_confirms_is_reported_once(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        await life.set_status(pod.name, failed(code=1))
        (failure,) = await scheduler.until(Failure)
        await eventually(lambda: is_released(life, pod.name))

    assert failure.confirmed is Confirmation.CONTAINERS
    assert scheduler.of_run("r1", RunStopped) == []


async def test_a_pod_that_its_kubelet_refused_is_released_by_the_next_process(tmp_path: Path) -> None:
    """The first one saw what its refusal proves; a look at the pod proves nothing."""
    async with living(tmp_path) as life:
        async with life.agent(**TAKES_RUNS, shutdown="100ms") as running:
            scheduler = await Scheduler.of(life)
            pod = await scheduler.started()
            await scheduler.bind(pod)
            life.lose_log()
            await life.set_status(pod.name, {"phase": "Failed", "reason": "OutOfcpu"})
            await eventually(lambda: is_spooled(running))
            assert await life.is_held(pod.name)
        life.find_log()
        async with life.agent(**TAKES_RUNS):
            (failure,) = await scheduler.until(Failure)
            await eventually(lambda: is_released(life, pod.name))

    assert failure.confirmed is Confirmation.REFUSED_BY_KUBELET
