"""A delay queue. One task runs every action; an exception in one ends the simulator."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from typing import Final

from agent.simulator.times import Seconds

_BURST: Final = 200
"""Actions run before others get a turn."""

Action = Callable[[], None]


class Timeline:
    """Actions in the order they fall due. ``speed`` of 2 makes every delay half as long."""

    def __init__(self, *, speed: float = 1.0) -> None:
        self._speed = speed
        self._due: list[tuple[float, int, Action]] = []
        self._number = count()
        self._earlier = asyncio.Event()

    def time(self) -> Seconds:
        """Seconds on the scripts' clock, since some moment."""
        return asyncio.get_running_loop().time() * self._speed

    def after(self, delay: Seconds, action: Action) -> None:
        """Run an action once, that much later. Actions due at one time run in the order they were asked for."""
        at = asyncio.get_running_loop().time() + delay / self._speed
        if not self._due or at < self._due[0][0]:
            self._earlier.set()
        heapq.heappush(self._due, (at, next(self._number), action))

    async def run(self) -> None:
        """Run what falls due until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            for _ in range(_BURST):
                if not self._due or self._due[0][0] > loop.time():
                    break
                heapq.heappop(self._due)[2]()
            await self._pause(self._due[0][0] - loop.time() if self._due else None)

    async def _pause(self, seconds: float | None) -> None:
        self._earlier.clear()
        if seconds is not None and seconds <= 0:
            await asyncio.sleep(0)
            return
        try:
            async with asyncio.timeout(seconds):
                await self._earlier.wait()
        except TimeoutError:
            return
