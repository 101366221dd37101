"""The lease of a node's process, on a simulated cluster."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import pytest

from agent.cluster.daemonset.node_lease import NodeLease
from agent.kube.connection import Connection
from agent.kube.lease import Leases, Record
from agent.settings.kube import KubeSettings
from agent.simulator.simulation import Options, Simulation
from tests.cluster.living import eventually

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@asynccontextmanager
async def leases_of_a_cluster() -> AsyncIterator[Leases]:
    async with Simulation(Options()) as cluster, await Connection.open(KubeSettings(url=cluster.url)) as connection:
        yield Leases(connection, "default", seconds=60.0)


@asynccontextmanager
async def renewing(leases: Leases, *, sees: Callable[[], bool]) -> AsyncIterator[NodeLease]:
    """The lease of n1's process, renewed often."""
    record = Record(holder="p", duration=3, transitions=1)
    lease = NodeLease(
        leases,
        prefix="agent",
        record=record,
        node="n1",
        owner=lambda: None,
        sees=sees,
        every=0.02,
        clock=lambda: NOW,
    )
    running = asyncio.create_task(lease.run())
    yield lease
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


@pytest.fixture(autouse=True)
def never_tries_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is renewed often is tried again as often."""
    monkeypatch.setattr("agent.cluster.daemonset.node_lease._RETRY_SECONDS", 3600.0)


async def test_it_is_there_once_the_pods_are_seen() -> None:
    seen = asyncio.Event()
    async with leases_of_a_cluster() as leases, renewing(leases, sees=seen.is_set) as lease:
        await asyncio.sleep(0.05)
        assert await lease.leases_by_node() == {}

        seen.set()

        async def there() -> bool:
            return "n1" in await lease.leases_by_node()

        await eventually(there)


async def test_that_of_an_earlier_process_is_taken_over() -> None:
    async with leases_of_a_cluster() as leases:
        await leases.write("agent.n1", Record(holder="earlier", duration=3, transitions=1))
        async with renewing(leases, sees=lambda: True) as lease:

            async def taken_over() -> bool:
                return (await lease.leases_by_node())["n1"].holder == "p"

            await eventually(taken_over)
