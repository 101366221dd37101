"""An API server to hold the contract against: the simulator, in this process."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from agent.simulator.simulation import Options, Simulation
from tests.simulator.api import Api


@pytest.fixture
async def simulation() -> AsyncIterator[Simulation]:
    async with Simulation(Options(namespaces=("default", "other"), history=50)) as running:
        yield running


@pytest.fixture
async def api(simulation: Simulation) -> AsyncIterator[Api]:
    async with aiohttp.ClientSession() as session:
        yield Api(session, simulation.url)
