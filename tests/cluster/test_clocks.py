"""Clocks that are wrong from the start: the machine's of the agent, and those of nodes."""

import asyncio
import ctypes.util
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from prometheus_client import REGISTRY

from agent.core.failure import HALTS, Failure
from agent.process.server_clock import ServerClock
from agent.simulator.simulation import Simulation
from agent.simulator.times import Clocks
from tests.cluster.living import CATEGORIES, Living, eventually, living
from tests.cluster.process import AgentProcess, write_settings
from tests.simulator.api import PODS, Api, pod
from tests.simulator.playing import playing, quick, rows, shipped

pytestmark = pytest.mark.slow

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
NODE = "node-5"
DAEMONSET = {"mode": "daemonset", "node": {"name": NODE}, "lease": {"namespace": "default"}}
MODES = pytest.mark.parametrize("mode", [{}, DAEMONSET], ids=["deployment", "daemonset"])


def metric(name: str) -> float | None:
    return REGISTRY.get_sample_value(f"failure_agent_{name}")


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(kw_only=True)
class Cluster:
    """A cluster whose server's and nodes' clocks are off the machine's, on which the agent runs."""

    life: Living
    clocks: Clocks

    async def bind(self, name: str, *, ago: timedelta) -> None:
        """A pod that got its node so long ago, and whose containers did not begin since."""
        at = self.clocks.server() - ago
        scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": stamp(at)}
        started = self.clocks.node(NODE) - ago
        await self.life.api.create(PODS, pod(name, node=NODE))
        await self.life.set_status(name, {"phase": "Pending", "startTime": stamp(started), "conditions": [scheduled]})

    async def terminate(self, name: str) -> None:
        """A running pod that was deleted a moment ago, and has a minute to end."""
        await self.life.api.create(PODS, pod(name, node=NODE))
        await self.life.set_status(name, {"phase": "Running"})
        await self.life.delete(name, gracePeriodSeconds=60)


@asynccontextmanager
async def cluster(folder: Path, clocks: Clocks) -> AsyncIterator[Cluster]:
    async with living(folder, clocks=clocks) as life:
        await life.api.create("/api/v1/nodes", {"metadata": {"name": NODE}})
        yield Cluster(life=life, clocks=clocks)


@MODES
@pytest.mark.parametrize(
    ("skew", "spread"),
    [(-HOUR, timedelta(0)), (-HOUR, -20 * HOUR), (HOUR, 20 * HOUR)],
    ids=["agent ahead", "agent ahead, node behind", "agent behind, node ahead"],
)
async def test_a_pod_is_given_up_on_time_and_no_other_whatever_the_clocks_were_at_the_start(
    tmp_path: Path, mode: Mapping[str, Any], skew: timedelta, spread: timedelta
) -> None:
    async with cluster(tmp_path, Clocks(skew=skew, spread=spread)) as given:
        await given.terminate("deleted")
        await given.bind("pulls", ago=MINUTE)
        await given.bind("soon", ago=30 * MINUTE - 2 * SECOND)
        async with given.life.agent(**mode):
            await given.life.until_reported(1)
            assert given.life.reported() == [("soon", "never-started", "internal")]
            (event,) = given.life.events()
            assert timedelta(0) <= event.occurred_at - given.clocks.server() + 10 * SECOND <= 12 * SECOND
            assert abs((metric("clock_offset_seconds") or 0.0) + skew.total_seconds()) < 3
            assert (metric("clock_error_seconds") or 0.0) < 5


class DeafClock(ServerClock):
    """The clock of an agent whose server gives no time, until it does."""

    deaf = True

    def hear(self, *, sent: float, received: float, date: datetime) -> None:
        if not self.deaf:
            super().hear(sent=sent, received=received, date=date)


async def test_while_the_servers_time_is_not_known_nothing_is_given_up_and_failures_are_reported(
    tmp_path: Path,
) -> None:
    clock = DeafClock()
    async with cluster(tmp_path, Clocks()) as given:
        await given.bind("overdue", ago=HOUR)
        await given.bind("failed", ago=MINUTE)
        await given.life.fail("failed")
        async with given.life.agent(clock=clock) as running:
            assert await given.life.until_reported(1) == [("failed", "pod-failed", "unknown")]
            await asyncio.sleep(1)
            assert "no pod is given up: the API server's time is not known" in (running.agent.time_check.check() or "")
            assert running.agent.time_check.alive() is None
            assert metric("clock_error_seconds") == float("inf")
            assert len(given.life.events()) == 1
            assert not running.spool.clock_was_right(now=clock())

            clock.deaf = False

            await given.life.until_reported(2)
            assert given.life.course()[-1] == ("overdue", "never-started", "internal")
            assert running.agent.time_check.check() is None
            await eventually(lambda: running.spool.clock_was_right(now=clock()))


async def test_a_removal_takes_too_long_only_once_the_servers_time_is_known(tmp_path: Path) -> None:
    clock = DeafClock()
    deleting = CATEGORIES.replace("- name: memory", "- name: memory\n      action: Delete")
    run: Mapping[str, Any] = {"run": {"namespaces": ["default"]}, "stuckTerminatingPodExpiry": "300ms"}
    async with (
        cluster(tmp_path, Clocks()) as given,
        given.life.agent(text=deleting, clock=clock, **run) as running,
    ):
        labels = {"armada_job_run_id": "run"}
        await given.life.api.create(PODS, pod("a", labels=labels, finalizers=["example.com/never"]))
        await given.life.fail("a", code=137, reason="OOMKilled")
        await eventually(lambda: bool(running.spool.known()))
        await asyncio.sleep(1)
        assert given.life.reported() == []

        clock.deaf = False
        assert await given.life.until_reported(1) == [("a", "stuck-terminating", "internal")]


async def test_what_a_wrong_clock_counted_is_counted_again_by_the_next_process(tmp_path: Path) -> None:
    waiting = {"name": "main", "image": "i", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    behind = DeafClock(system=lambda: datetime.now(UTC) - HOUR)
    async with cluster(tmp_path, Clocks()) as given:
        await given.life.create("pulls", held=False)
        await given.life.set_status("pulls", {"phase": "Pending", "containerStatuses": [waiting]})
        async with given.life.agent(clock=behind) as running:
            await eventually(lambda: bool(running.spool.known()))
        async with given.life.agent():
            await given.bind("overdue", ago=HOUR)
            assert await given.life.until_reported(1) == [("overdue", "never-started", "internal")]


def libfaketime() -> Path | None:
    """The library that fakes the system's clock, if this machine has it."""
    found = ctypes.util.find_library("faketime")
    places = [] if found is None else [Path(found)]
    return next(
        (each for each in (*places, *Path("/usr/lib").glob("*/faketime/libfaketime.so.1")) if each.exists()), None
    )


def faked(offset: str) -> Mapping[str, str]:
    library = libfaketime()
    if library is None:
        pytest.skip("libfaketime is not installed: no process with another clock can be started")
    # Elapsed time stays as it is, as on a machine whose clock was set wrong before.
    return {"LD_PRELOAD": str(library), "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


@pytest.mark.parametrize(("mode", "offset"), [({}, "+3600"), (DAEMONSET, "-3600")], ids=["deployment", "daemonset"])
async def test_an_agent_on_a_machine_whose_clock_is_wrong_gives_up_no_pod_that_never_failed(
    tmp_path: Path, mode: Mapping[str, Any], offset: str
) -> None:
    async with cluster(tmp_path, Clocks()) as given:
        await given.terminate("deleted")
        await given.bind("pulls", ago=MINUTE)
        await given.bind("overdue", ago=HOUR)
        settings = write_settings(given.life.settings(**mode), tmp_path / "settings.yaml")
        with AgentProcess(settings, log=tmp_path / "agent.log", variables=faked(offset)) as process:
            await given.life.until_reported(1)
            await eventually(lambda: asyncio.to_thread(process.is_ready))
            said = process.logged()

    assert given.life.reported() == [("overdue", "never-started", "internal")]
    assert abs(given.life.events()[0].observed_at - datetime.now(UTC)) < MINUTE
    (warned,) = [line for line in said if line["event"].startswith("this machine's clock differs")]
    assert abs(warned["seconds"] - int(offset)) < 3


GIVEN_UP = {"invalid-image-name": {"never-started"}}
"""Scripts whose pods are given up within seconds, and as what."""


@pytest.mark.timeout(240)  # a whole workload, which takes its time on a busy machine
@pytest.mark.parametrize(
    "clocks",
    [Clocks(), Clocks(skew=-HOUR), Clocks(skew=HOUR), Clocks(spread=HOUR)],
    ids=["right", "agent ahead", "agent behind", "ten nodes, ten clocks"],
)
async def test_of_a_whole_workload_those_are_given_up_that_are_with_right_clocks(
    tmp_path: Path, clocks: Clocks
) -> None:
    plan, scripts = shipped()
    record = tmp_path / "record.jsonl"
    plan = quick(plan, nodes=10, rate=10.0, duration="4s", sweep="2s")
    async with (
        playing(plan, scripts, record=record, clocks=clocks) as simulation,
        aiohttp.ClientSession() as session,
    ):
        life = Living(api=Api(session, simulation.url), simulation=simulation, folder=tmp_path)
        life.open_log()
        async with life.agent(watch={"namespaces": []}):
            await eventually(lambda: is_done(simulation), seconds=150)
            await eventually(lambda: given_up(life, record).keys() >= GIVEN_UP.keys())
            await asyncio.sleep(1)

    assert given_up(life, record) == GIVEN_UP


def given_up(life: Living, record: Path) -> dict[str, set[str]]:
    """The scripts whose pods were given up so far, and as what."""
    script = {row["pod_uid"]: row["script"] for row in rows(record)}
    halted: dict[str, set[str]] = {}
    for event in life.events():
        if isinstance(event.event, Failure) and event.event.occurrence in HALTS:
            halted.setdefault(script.get(event.pod.uid, event.pod.name), set()).add(event.event.occurrence.value)
    return halted


def is_done(simulation: Simulation) -> bool:
    return bool(simulation.status()["done"])
