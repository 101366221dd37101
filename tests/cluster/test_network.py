"""The network between the agent and the API server: cut, refused, delayed, half-closed, silent."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from prometheus_client import REGISTRY

from tests.cluster.living import Living, eventually, living
from tests.servers.proxy import Direction, TcpProxy

pytestmark = pytest.mark.slow

StartProxy = Callable[[int], TcpProxy]


def hurt(proxy: TcpProxy, how: str) -> None:
    match how:
        case "cut":
            proxy.cut()
        case "refused":
            proxy.refuse()
            proxy.cut()
        case "delayed":
            proxy.delay(0.2)
        case "half-closed by the server":
            proxy.half_close(Direction.ANSWERS)
        case "half-closed by the agent":
            proxy.half_close(Direction.REQUESTS)
        case _:
            proxy.stall(Direction.ANSWERS)


async def fail(life: Living, name: str) -> None:
    await life.create(name)
    await life.fail(name)


def reconnects() -> float:
    return REGISTRY.get_sample_value("failure_agent_reflector_reconnects_total", {"kind": "pod"}) or 0.0


@pytest.mark.parametrize(
    "how",
    ["cut", "refused", "delayed", "half-closed by the server", "half-closed by the agent", "stalled, then cut"],
)
async def test_a_bad_network_to_the_api_server_loses_nothing(tmp_path: Path, start_proxy: StartProxy, how: str) -> None:
    async with living(tmp_path) as life:
        proxy = await asyncio.to_thread(start_proxy, urlsplit(life.simulation.url).port or 0)
        async with life.agent(kube={"url": f"http://127.0.0.1:{proxy.port}"}) as running:
            await fail(life, "before")
            await life.until_reported(1)
            before = reconnects()

            await asyncio.to_thread(hurt, proxy, how)
            await fail(life, "during")
            await life.create("gone", held=False)
            await life.fail("gone")
            await asyncio.sleep(0.5)
            if how.startswith("stalled"):
                await asyncio.to_thread(proxy.cut)
            await asyncio.to_thread(proxy.delay, 0.0)
            await asyncio.to_thread(proxy.mend)
            await fail(life, "after")

            reported = await life.until_reported(4)
            assert [name for name, *_ in reported] == ["after", "before", "during", "gone"]
            assert {occurrence for _, occurrence, _ in reported} == {"pod-failed"}
            await eventually(lambda: nobody_held(life))
            if how in ("cut", "refused"):
                await eventually(lambda: reconnects() > before)
            assert running.agent.watch_set.informers.check() is None


async def nobody_held(life: Living) -> bool:
    return not any([await life.is_held(name) for name in ("before", "during", "after")])
