"""A simulated cluster, a connection to it, and a reflector whose changes are recorded."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import aiohttp

from agent.backoff import DecorrelatedBackoff
from agent.kube.connection import Connection
from agent.kube.objects import Pod
from agent.kube.reflector.cache import Change
from agent.kube.reflector.reflector import Pace, Reflector
from agent.settings.kube import KubeSettings
from agent.simulator.simulation import Options, Simulation
from tests.simulator.api import PODS, Api, pod

QUICK = Pace(
    page_size=3,
    watch_seconds=(20.0, 20.0),
    idle_seconds=20.0,
    backoff=DecorrelatedBackoff(base=0.02, limit=0.05),
    list_seconds=5.0,
    streamed_lists=False,
)
STREAMED = replace(QUICK, streamed_lists=True)
Told = tuple[str, str]


@dataclass(kw_only=True)
class Cluster:
    """Everything a test needs."""

    api: Api
    simulation: Simulation
    connection: Connection

    async def put(self, *names: str) -> None:
        for name in names:
            await self.api.create(PODS, pod(name))

    async def touch(self, name: str, value: str) -> None:
        await self.api.patch(f"{PODS}/{name}", {"metadata": {"labels": {"touched": value}}})

    async def remove(self, name: str) -> None:
        status, answer = await self.api.ask("DELETE", f"{PODS}/{name}")
        assert status == 200, answer


@asynccontextmanager
async def cluster(*, bookmark_seconds: float = 60.0, history: int = 1000, gates: bool = True) -> AsyncIterator[Cluster]:
    options = Options(bookmark_seconds=bookmark_seconds, history=history, gates=gates)
    async with (
        Simulation(options) as simulation,
        aiohttp.ClientSession() as session,
        await Connection.open(KubeSettings(url=simulation.url)) as connection,
    ):
        yield Cluster(api=Api(session, simulation.url), simulation=simulation, connection=connection)


@dataclass(kw_only=True)
class Ear:
    """Records the changes that it is notified of, and waits for some."""

    told: list[Told] = field(default_factory=list)
    changes: list[Change[Pod, str]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def hear(self, change: Change[Pod, str]) -> None:
        name = change.object.metadata.name if change.object is not None else change.previous
        self.told.append((change.kind.value, name or ""))
        self.changes.append(change)
        self.news.set()

    async def until(self, met: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not met():
                self.news.clear()
                await self.news.wait()

    async def heard(self, count: int) -> list[Told]:
        await self.until(lambda: len(self.told) >= count)
        return self.told


@asynccontextmanager
async def reflecting(
    connection: Connection, ear: Ear, *, pace: Pace = QUICK, fields: str = "", labels: str = ""
) -> AsyncIterator[Reflector[Pod, str]]:
    reflector = Reflector(
        connection,
        path="/api/v1/pods",
        decode=Pod,
        keep=lambda pod: pod.metadata.name or "",
        handler=ear.hear,
        fields=fields,
        labels=labels,
        pace=pace,
        draw=lambda: 0.5,
    )
    running = asyncio.create_task(reflector.run())
    try:
        yield reflector
        assert not running.done(), running.exception()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def eventually(met: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(20):
        while not await met():  # noqa: ASYNC110 - met at the server, which signals nothing here
            await asyncio.sleep(0.01)
