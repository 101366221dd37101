"""Being asked to stop: SIGTERM, or SIGINT from a terminal."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from types import FrameType

_LOOK_SECONDS = 0.1


@dataclass(slots=True)
class Asked:
    """Whether a signal has come. A handler may only set a flag: it may run inside any lock of the main thread."""

    signal: int | None = None

    def wait_beside(self, worker: Thread) -> None:
        """Return when a signal has come or ``worker`` has ended."""
        while self.signal is None and worker.is_alive():
            worker.join(_LOOK_SECONDS)


@contextmanager
def asked_to_stop() -> Iterator[Asked]:
    """Watch for the signals while inside; only in the main thread."""
    asked = Asked()

    def note(number: int, frame: FrameType | None) -> None:
        del frame
        asked.signal = number

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
