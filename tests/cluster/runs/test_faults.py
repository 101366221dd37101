"""The API server refuses, fails, or answers and nobody hears it, while a run goes its way."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agent.kube.connection import Body, Connection, Params
from agent.kube.errors import ApiError, Unreachable
from tests.cluster.living import Parts, living
from tests.cluster.runs.commanding import TAKES_RUNS, Scheduler
from tests.cluster.runs.ways import WAYS, Way, check, findings, kubelet

pytestmark = pytest.mark.slow

VERBS = ("get", "post", "patch", "delete")
FAULTS = ("409 Conflict", "429 TooManyRequests", "500 InternalError", "lost", "late")
"""``lost``: it is done, but nobody hears the answer; ``late``: the answer is lost and it is done a moment later."""

TIMES = 2


class Faults:
    """The first requests of a verb about pods go wrong."""

    def __init__(self, verb: str, fault: str) -> None:
        self.happened = 0
        self._verb = verb
        self._fault = fault
        self._late: set[asyncio.Task[bytes]] = set()

    async def request(self, verb: str, path: str, ask: Callable[[], Awaitable[bytes]]) -> bytes:
        if verb != self._verb or "/pods" not in path or self.happened == TIMES:
            return await ask()
        self.happened += 1
        match self._fault:
            case "lost":
                await ask()
            case "late":
                self._late.add(asyncio.create_task(_later(ask)))
            case _:
                status, reason = self._fault.split()
                raise ApiError(int(status), reason, "the test was asked to")
        raise Unreachable("the connection was lost")


async def _later(ask: Callable[[], Awaitable[bytes]]) -> bytes:
    await asyncio.sleep(0.7)
    try:
        return await ask()
    except ApiError as error:  # somebody may have done it meanwhile
        return str(error).encode()


def _connection(faults: Faults) -> type[Connection]:
    class FaultyConnection(Connection):
        async def get(self, path: str, params: Params | None = None, *, seconds: float = 30.0) -> bytes:
            read = super().get
            return await faults.request("get", path, lambda: read(path, params, seconds=seconds))

        async def post(self, path: str, body: Body, params: Params | None = None, *, seconds: float = 30.0) -> bytes:
            create = super().post
            verb = "dry run" if params else "post"
            return await faults.request(verb, path, lambda: create(path, body, params, seconds=seconds))

        async def patch(self, path: str, body: Body, content_type: str) -> bytes:
            change = super().patch
            return await faults.request("patch", path, lambda: change(path, body, content_type))

        async def delete(self, path: str, body: Body) -> bytes:
            remove = super().delete
            return await faults.request("delete", path, lambda: remove(path, body))

    return FaultyConnection


async def go(row: tuple[str, str, str], folder: Path) -> None:
    way, verb, fault = row
    faults = Faults(verb, fault)
    async with living(folder) as life, kubelet(life, succeeds=way == "succeeds"):
        scheduler = await Scheduler.of(life)
        going = asyncio.create_task(Way(scheduler, way).go())
        async with life.agent(parts=Parts(connection=_connection(faults)), **TAKES_RUNS):
            await going
        check(way, scheduler, started=len(life.simulation.ledger.containers))


@pytest.mark.parametrize("way", WAYS)
async def test_a_run_goes_its_way_whatever_the_api_server_answers(way: str, tmp_path: Path) -> None:
    rows = {f"{verb}: {fault}": (way, verb, fault) for verb in VERBS for fault in FAULTS}
    assert await findings(rows, go, tmp_path) == []
