"""Being asked to stop: the first signal stops in order, the second at once."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from types import FrameType
from typing import Final, TypeVar

T = TypeVar("T")

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stop_requested() -> Iterator[asyncio.Event]:
    """An event that SIGTERM or SIGINT sets; a second one ends the process on the spot, as a crash would.

    Only on the main thread's running loop.
    """
    loop, asked = asyncio.get_running_loop(), asyncio.Event()

    def stop(number: int) -> None:
        if asked.is_set():
            os._exit(128 + number)
        asked.set()

    for number in _SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield asked
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


async def unless_stopped(asked: asyncio.Event, work: Coroutine[None, None, T]) -> T | None:
    """What the work gives; ``None``, and the work cancelled, where stopping was asked for first."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(asked.wait())
    await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if working.done():
        return working.result()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return None


_LOOK_SECONDS = 0.1


@dataclass(slots=True)
class StopFlag:
    """Whether a signal has come. A handler may only set a flag: it may run inside any lock of the main thread."""

    signal: int | None = None

    def wait_beside(self, worker: Thread) -> None:
        """Return when a signal has come or ``worker`` has ended."""
        while self.signal is None and worker.is_alive():
            worker.join(_LOOK_SECONDS)


@contextmanager
def watch_for_stop() -> Iterator[StopFlag]:
    """Watch for the signals while inside; only in the main thread."""
    asked = StopFlag()

    def note(number: int, frame: FrameType | None) -> None:
        del frame
        asked.signal = number

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
