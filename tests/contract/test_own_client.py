"""Our own client, on the simulator and on a real API server."""

from collections.abc import Awaitable, Callable

import pytest

from tests.contract.client import Client, real_client, simulated_client
from tests.contract.own_client import CHECKS
from tests.servers.control_plane import ControlPlane

Check = Callable[[Client], Awaitable[None]]
_NAMES = [check.__name__ for check in CHECKS]


@pytest.mark.parametrize("check", CHECKS, ids=_NAMES)
async def test_on_the_simulator(check: Check) -> None:
    async with simulated_client() as client:
        await check(client)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=_NAMES)
async def test_on_a_real_api_server(check: Check, contract_plane: ControlPlane) -> None:
    async with real_client(contract_plane) as client:
        await check(client)
