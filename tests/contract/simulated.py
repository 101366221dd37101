"""A stage on the simulator."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from agent.simulator.simulation import Options, Simulation
from tests.contract.denying import NAME
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
        async with self._fault(kind="overload", verb="create", resource="pods", retry_after=1):
            yield Witness(self.witness.session, self.witness.url)

    @asynccontextmanager
    async def full(self) -> AsyncIterator[None]:
        text = "q, requested: pods=1, used: pods=0, limited: pods=0"
        async with self._fault(kind="quota", verb="create", resource="pods", text=text):
            yield

    @asynccontextmanager
    async def denying(self, why: str) -> AsyncIterator[None]:
        async with self._fault(kind="webhook", verb="create", resource="pods", webhook=NAME, text=why):
            yield

    @asynccontextmanager
    async def _fault(self, **fault: str | int) -> AsyncIterator[None]:
        await self.witness.ask("POST", "/simulator/faults", body=fault)
        yield
        await self.witness.ask("DELETE", "/simulator/faults")


@asynccontextmanager
async def simulated_stage(*, bookmark_seconds: float = 60.0) -> AsyncIterator[Stage]:
    """A stage on a simulator of its own."""
    namespace = f"contract-{secrets.token_hex(4)}"
    options = Options(namespaces=("default", namespace), bookmark_seconds=bookmark_seconds)
    async with Simulation(options) as simulation, aiohttp.ClientSession() as session:
        keeper = SimulatorKeeper(Witness(session, simulation.url))
        yield Stage(server=Witness(session, simulation.url), namespace=namespace, keeper=keeper)
