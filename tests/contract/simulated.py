"""A stage on the simulator."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from agent.simulator.simulation import Options, Simulation
from tests.contract.stage import Stage
from tests.contract.witness import Witness


@dataclass(frozen=True, slots=True)
class SimulatorKeeper:
    """Asks the simulator to misbehave."""

    witness: Witness

    async def forget(self) -> None:
        await self.witness.ask("POST", "/simulator/compact")

    async def forget_watches(self) -> None:
        await self.forget()

    @asynccontextmanager
    async def overloaded(self) -> AsyncIterator[Witness]:
        fault = {"kind": "overload", "verb": "create", "resource": "pods", "retry_after": 1}
        await self.witness.ask("POST", "/simulator/faults", body=fault)
        yield Witness(self.witness.session, self.witness.url)
        await self.witness.ask("DELETE", "/simulator/faults")


@asynccontextmanager
async def simulated_stage(*, bookmark_seconds: float = 60.0) -> AsyncIterator[Stage]:
    """A stage on a simulator of its own."""
    namespace = f"contract-{secrets.token_hex(4)}"
    options = Options(namespaces=("default", namespace), bookmark_seconds=bookmark_seconds)
    async with Simulation(options) as simulation, aiohttp.ClientSession() as session:
        keeper = SimulatorKeeper(Witness(session, simulation.url))
        yield Stage(server=Witness(session, simulation.url), namespace=namespace, keeper=keeper)
