"""A simulated cluster that plays scripts, fast."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from agent.simulator.kinds import PODS
from agent.simulator.plan import Plan, load_plan
from agent.simulator.script import Script, load_scripts
from agent.simulator.simulation import Options, Simulation
from agent.simulator.times import Clocks
from tests.simulator.api import Json

SHIPPED = Path(__file__).parents[2] / "config" / "simulator" / "workload.yaml"
SPEED = 40.0


def shipped() -> tuple[Plan, dict[str, Script]]:
    """The demo's workload, with all scripts."""
    plan, files = load_plan(SHIPPED)
    return plan, load_scripts((*files, SHIPPED.with_name("gpu.yaml")))


@asynccontextmanager
async def playing(
    plan: Plan | None,
    scripts: dict[str, Script],
    *,
    record: Path | None = None,
    cluster: str = "simulated",
    clocks: Clocks | None = None,
) -> AsyncIterator[Simulation]:
    options = Options(
        plan=plan, scripts=scripts, record=record, speed=SPEED, cluster=cluster, clocks=clocks or Clocks()
    )
    async with Simulation(options) as simulation:
        running = asyncio.create_task(simulation.run(asyncio.Event().wait))
        try:
            yield simulation
            assert not running.done(), running.exception()
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


def quick(plan: Plan, **changes: object) -> Plan:
    return msgspec.structs.replace(plan, **changes)


async def until(simulation: Simulation, met: Callable[[], bool]) -> None:
    """Wait for a change of the pods after which it is so."""
    collection = simulation.registry.store.collections[PODS.plural]
    async with asyncio.timeout(30):
        while not met():
            try:
                async with asyncio.timeout(0.05):
                    await collection.changed.wait()
            except TimeoutError:
                continue


def rows(record: Path) -> list[Json]:
    return [json.loads(line) for line in record.read_text().splitlines()]
