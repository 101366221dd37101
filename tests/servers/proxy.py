"""A network between a client and a server, for tests that break it: a TCP proxy that stalls, delays and cuts."""

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import Final, Self, TypeVar

from tests.servers.ports import free_ports

_LOOPBACK: Final = "127.0.0.1"
_PIECE: Final = 65_536
_CALL_SECONDS: Final = 30.0
_LINGER_NOT: Final = struct.pack("ii", 1, 0)

_T = TypeVar("_T")


class Direction(Enum):
    """Which way bytes go."""

    REQUESTS = "from client to server"
    ANSWERS = "from server to client"


@dataclass(slots=True, kw_only=True, eq=False)
class _Connection:
    """One client's connection and the one to the server made for it, by who is sent to in which direction."""

    writers: dict[Direction, asyncio.StreamWriter]
    pumps: dict[Direction, asyncio.Task[None]] = field(default_factory=dict)


class TcpProxy:
    """Passes on what comes to ``port`` of loopback to ``server_port``, and back, until it is told otherwise.

    Works in a thread of its own from entering ``with`` to leaving it. Its methods have done what they say when they
    return. ``accepted`` counts the connections so far.
    """

    def __init__(self, server_port: int, *, port: int | None = None) -> None:
        self.port: Final = port or free_ports(1)[0]
        self.accepted = 0
        self._server_port: Final = server_port
        self._loop: Final = asyncio.new_event_loop()
        self._thread: Final = threading.Thread(target=self._loop.run_forever, name=f"proxy-{self.port}")
        self._listener: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self._flowing: Final = {direction: asyncio.Event() for direction in Direction}
        self._delays: Final = dict.fromkeys(Direction, 0.0)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self.mend()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.refuse()
        self.cut()
        self._end()

    def mend(self) -> None:
        """Accept connections, and pass on everything at once. What was stalled arrives; what was cut stays cut."""
        self._do(self._mend())

    def refuse(self) -> None:
        """Refuse new connections, as a server does that is down. Those there are go on."""
        self._do(self._refuse())

    def cut(self) -> None:
        """Reset all connections, both ends; what was on its way is lost. New ones are accepted still."""
        self._do(self._cut())

    def stall(self, *directions: Direction) -> None:
        """Pass on nothing in these directions (in both, if none is named), as a network does that loses all packets.

        Connections stay open, new ones are accepted, and nobody is told. Nothing is lost: ``mend`` delivers it.
        """
        self._do(self._stall(directions or tuple(Direction)))

    def delay(self, seconds: float, *directions: Direction) -> None:
        """Hold back every piece, of at most 64 KiB, this long in these directions (in both, if none is named)."""
        self._do(self._delay(seconds, directions or tuple(Direction)))

    def half_close(self, direction: Direction) -> None:
        """End this direction of all connections (FIN), as if its sender had nothing more to say; the other goes on."""
        self._do(self._half_close(direction))

    @property
    def connections(self) -> int:
        """How many are open now."""
        return len(self._connections)

    def _end(self) -> None:
        self._do(self._cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Coroutine[None, None, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_CALL_SECONDS)

    async def _mend(self) -> None:
        for direction in Direction:
            self._delays[direction] = 0.0
            self._flowing[direction].set()
        if self._listener is None:
            self._listener = await asyncio.start_server(self._serve, _LOOPBACK, self.port)

    async def _refuse(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    async def _cut(self) -> None:
        pumps = [pump for connection in self._connections for pump in connection.pumps.values()]
        for connection in self._connections:
            for writer in connection.writers.values():
                _reset(writer)
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
        self._connections.clear()

    async def _cancel_all(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _stall(self, directions: tuple[Direction, ...]) -> None:
        for direction in directions:
            self._flowing[direction].clear()

    async def _delay(self, seconds: float, directions: tuple[Direction, ...]) -> None:
        for direction in directions:
            self._delays[direction] = seconds

    async def _half_close(self, direction: Direction) -> None:
        for connection in self._connections:
            connection.pumps[direction].cancel()
            connection.writers[direction].write_eof()

    async def _serve(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            from_server, to_server = await asyncio.open_connection(_LOOPBACK, self._server_port)
        except OSError:
            _reset(to_client)
            return
        writers = {Direction.REQUESTS: to_server, Direction.ANSWERS: to_client}
        readers = {Direction.REQUESTS: from_client, Direction.ANSWERS: from_server}
        connection = _Connection(writers=writers)
        for direction, reader in readers.items():
            pump = self._pump(reader, writers[direction], direction)
            connection.pumps[direction] = asyncio.create_task(pump)
        self._connections.add(connection)
        await asyncio.gather(*connection.pumps.values(), return_exceptions=True)
        self._connections.discard(connection)
        for writer in writers.values():
            writer.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: Direction) -> None:
        """Pass on one direction until its sender ends it, or either end is gone: then the other is told."""
        try:
            while piece := await reader.read(_PIECE):
                await asyncio.sleep(self._delays[direction])
                await self._flowing[direction].wait()
                writer.write(piece)
                await writer.drain()
            await self._flowing[direction].wait()
            writer.write_eof()
        except OSError:
            _reset(writer)


def _reset(writer: asyncio.StreamWriter) -> None:
    """End a connection at once, its other end being told that it broke (RST)."""
    if not writer.transport.is_closing():
        connected: socket.socket = writer.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
    writer.transport.abort()
