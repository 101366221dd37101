"""Mode daemonset: the elected process takes commands, and the process of a pod's node sees what comes of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from agent.core.failure import Failure
from agent.core.run_event import Confirmation, PodReference, RunCreated, RunPhase, RunStopped, StopAnswer
from tests.cluster.living import Living, Running, eventually, failed, living
from tests.cluster.runs.commanding import Scheduler, create, ready
from tests.cluster.runs.nodes import end_term, on_unhurried_node, two_nodes
from tests.simulator.api import PODS

pytestmark = pytest.mark.slow


@asynccontextmanager
async def a_cluster(folder: Path) -> AsyncIterator[tuple[Living, Running, Running]]:
    process = partial(on_unhurried_node, silence="3s")
    async with living(folder) as life, two_nodes(life, process=process) as (elected, other):
        yield life, elected, other


async def is_gone(life: Living, pod: PodReference) -> bool:
    return not await life.exists(pod.name)


async def test_a_run_succeeds_on_the_node_of_another_process(tmp_path: Path) -> None:
    async with a_cluster(tmp_path) as (life, _, other):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running(node="n2")
        await life.set_status(pod.name, {**failed(code=0), "phase": "Succeeded"})
        (told,) = await scheduler.until(RunPhase.SUCCEEDED)
        await eventually(lambda: _is_released(life, pod.name))
        commands = other.agent.commands
        assert commands is not None
        assert (commands.offer(), commands.check()) == (None, None)

    assert told.confirmed is Confirmation.CONTAINERS
    kinds = {event.event for event in scheduler.of_run("r1")}
    assert kinds == {RunCreated(), RunPhase.PENDING, RunPhase.RUNNING, RunPhase.SUCCEEDED}


async def test_a_stop_is_answered_once_by_the_process_of_its_node(tmp_path: Path) -> None:
    async with a_cluster(tmp_path) as (life, _, _):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running(node="n2")
        scheduler.stop(pod)
        await scheduler.until_deleted(pod)
        await scheduler.ended(pod, code=143)
        (told,) = await scheduler.until(RunStopped)
        await life.api.ask("DELETE", f"{PODS}/{pod.name}", gracePeriodSeconds=0)
        await eventually(lambda: is_gone(life, pod))
        events = scheduler.of_run("r1")

    assert (told.event, told.confirmed) == (RunStopped(answer=StopAnswer.GONE), Confirmation.CONTAINERS)
    assert len([event for event in events if isinstance(event.event, RunStopped)]) == 1
    assert not any(isinstance(event.event, Failure) for event in events), "exit code 143 after our stop is no failure"


async def test_a_stop_is_answered_although_the_process_that_asked_for_it_is_gone(tmp_path: Path) -> None:
    async with a_cluster(tmp_path) as (life, elected, _):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running(node="n2")
        scheduler.stop(pod)
        await scheduler.until_deleted(pod)
        await elected.kill()
        await end_term(life)
        await scheduler.ended(pod, code=143)
        (told,) = await scheduler.until(RunStopped)

    assert told.confirmed is Confirmation.CONTAINERS
    assert scheduler.of_run("r1", Failure) == []


async def test_a_stop_is_answered_although_the_process_of_the_node_is_gone(tmp_path: Path) -> None:
    async with a_cluster(tmp_path) as (life, _, other):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running(node="n2")
        await other.kill()
        scheduler.stop(pod)
        await scheduler.until_deleted(pod)
        await scheduler.ended(pod, code=143)
        (told,) = await scheduler.until(RunStopped)
        await eventually(lambda: _is_released(life, pod.name))

    assert told.confirmed is Confirmation.CONTAINERS
    assert scheduler.of_run("r1", Failure) == []


async def test_the_elected_process_answers_for_pods_without_a_node(tmp_path: Path) -> None:
    async with a_cluster(tmp_path) as (life, _, _):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        pod = await scheduler.created()
        scheduler.stop(pod)
        (told,) = await scheduler.until(RunStopped)
        await eventually(lambda: is_gone(life, pod))
        scheduler.send(create(), run="r2")
        discarded = await scheduler.created(run="r2")
        scheduler.discard(discarded, run="r2")
        await eventually(lambda: is_gone(life, discarded))
        scheduler.stop(discarded, run="r2")
        await scheduler.until(RunStopped, run="r2")

    assert (told.event, told.confirmed) == (RunStopped(answer=StopAnswer.NEVER_STARTED), Confirmation.NEVER_BOUND)
    assert [event.event for event in scheduler.of_run("r2")] == [RunCreated(), RunStopped(answer=StopAnswer.GONE)]


async def test_the_next_elected_process_goes_on_with_the_commands(tmp_path: Path) -> None:
    async with a_cluster(tmp_path) as (life, elected, other):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        pod = await scheduler.created()
        await elected.kill()
        await end_term(life)
        scheduler.start(pod)
        await ready(other)
        await scheduler.until(RunPhase.PENDING)
        await scheduler.bound(pod, node="n2")
        await scheduler.until(RunPhase.RUNNING)

    assert scheduler.dead_letters() == []


async def test_a_kubelets_refusal_confirms_also_on_the_node_of_another_process(tmp_path: Path) -> None:
    async with a_cluster(tmp_path) as (life, _, _):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.started()
        await scheduler.bind(pod, node="n2")
        await life.set_status(pod.name, {"phase": "Failed", "reason": "OutOfcpu", "startTime": "2026-11-21T10:00:00Z"})
        (failure,) = await scheduler.until(Failure)
        await eventually(lambda: _is_released(life, pod.name))

    assert failure.confirmed is Confirmation.REFUSED_BY_KUBELET


async def _is_released(life: Living, name: str) -> bool:
    return not await life.is_held(name)
