"""Being asked to stop: the first signal stops in order, the second at once."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

T = TypeVar("T")

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def asked_to_stop() -> Iterator[asyncio.Event]:
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


async def unless(asked: asyncio.Event, work: Coroutine[None, None, T]) -> T | None:
    """What the work gives; ``None``, and the work cancelled, where stopping was asked for first."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(asked.wait())
    await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if working.done():
        return working.result()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return None
