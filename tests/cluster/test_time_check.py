"""How doubts about the clock are reported."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from aiohttp import web
from structlog.testing import capture_logs

from agent.cluster.time_check import TimeCheck, hear, settle
from agent.kube.connection import Connection
from agent.process.server_clock import ServerClock
from agent.settings.kube import KubeSettings
from agent.simulator.simulation import Options, Simulation
from agent.simulator.times import Clocks

HOUR = timedelta(hours=1)


class Marks:
    """Takes marks, or refuses them as a full disk does."""

    def __init__(self) -> None:
        self.marks: list[bool] = []
        self.full = False

    def __call__(self, *, right: bool) -> None:
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        self.marks.append(right)


class Server:
    """A server whose clock and a process whose elapsed time a test sets."""

    def __init__(self, connection: Connection) -> None:
        self.elapsed = 100.0
        self.skew = timedelta(0)
        self.marks = Marks()
        self._connection = connection
        self._started = datetime.now(UTC)
        self.begins()

    def begins(self) -> None:
        """A process begins, or the next one."""
        self.clock = ServerClock(elapsed=lambda: self.elapsed)
        self.check = TimeCheck(self.clock, self._connection, mark=self.marks, monotonic=lambda: self.elapsed)

    def answers(self) -> None:
        for _ in range(3):
            date = self._started + self.skew + timedelta(seconds=self.elapsed - 100.0)
            self.clock.hear(sent=self.elapsed, received=self.elapsed, date=date.replace(microsecond=0))

    def passes(self, seconds: float) -> None:
        self.elapsed += seconds
        self.check.look()


@asynccontextmanager
async def connected() -> AsyncIterator[Connection]:
    async with await Connection.open(KubeSettings(url="http://127.0.0.1:1")) as connection:
        yield connection


async def test_a_doubt_is_logged_once_and_marked_when_it_begins_and_when_it_ends() -> None:
    async with connected() as connection:
        server = Server(connection)
        with capture_logs() as logs:
            server.passes(1)
            server.passes(1)
            assert "not known" in (server.check.check() or "")
            server.answers()
            server.passes(1)
            server.passes(1)

        assert server.check.check() is None
        assert server.marks.marks == [False, True]
        assert [(line["log_level"], line["event"].partition(" ")[0]) for line in logs] == [
            ("error", "no"),
            ("info", "the"),
        ]


async def test_a_mark_that_a_full_disk_refuses_is_tried_again() -> None:
    async with connected() as connection:
        server = Server(connection)
        server.answers()
        server.marks.full = True
        server.passes(1)
        assert server.marks.marks == []

        server.marks.full = False
        server.passes(1)
        assert server.marks.marks == [True]


async def test_a_restart_is_asked_for_only_when_the_servers_clock_was_set_to_another_time_for_a_minute() -> None:
    for step in (HOUR, -HOUR):
        async with connected() as connection:
            server = Server(connection)
            server.answers()
            server.passes(1)
            server.skew = step
            server.answers()
            server.passes(1)
            assert "may differ from the API server's by 36" in (server.check.check() or "")
            assert server.check.alive() is None

            server.passes(61)
            assert "a restart sets it" in (server.check.alive() or "")
            assert server.marks.marks == [True, False]

            server.begins()
            server.answers()
            server.passes(1)
            assert server.check.alive() is None
            assert server.check.check() is None


async def test_an_unknown_time_asks_for_no_restart() -> None:
    async with connected() as connection:
        server = Server(connection)
        for _ in range(10):
            server.passes(3600)
        assert server.check.alive() is None


async def test_the_start_asks_until_the_time_is_known_and_no_more() -> None:
    async with (
        Simulation(Options(clocks=Clocks(skew=-HOUR))) as simulation,
        await Connection.open(KubeSettings(url=simulation.url)) as connection,
    ):
        clock = ServerClock()
        hear(clock, connection)
        with capture_logs() as logs:
            await settle(clock, connection)
            await settle(clock, connection)

        assert clock.known
        assert (await connection.get("/simulator/requests")).count(b'"get namespaces":3') == 1
        assert abs(clock() - datetime.now(UTC) + HOUR) < timedelta(seconds=3)
        assert logs[0]["event"].startswith("this machine's clock differs from the API server's")
        assert abs(logs[0]["seconds"] - 3600) < 3


async def test_a_server_without_a_clock_does_not_prevent_the_start() -> None:
    asked = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.json_response({}, headers={"Age": "17"})

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        async with await Connection.open(KubeSettings(url=f"http://127.0.0.1:{runner.addresses[0][1]}")) as connection:
            clock = ServerClock()
            hear(clock, connection)
            async with asyncio.timeout(30):
                await settle(clock, connection)
    finally:
        await runner.cleanup()

    assert not clock.known
    assert len(asked) == 10
    assert "not known" in (clock.doubt() or "")
