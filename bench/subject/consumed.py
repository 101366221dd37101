"""What a consumer in this process has acknowledged."""

import time
from threading import Event, Thread
from typing import Final

from prometheus_client import REGISTRY

PATIENCE_SECONDS: Final = 300.0
_POLL_SECONDS: Final = 0.005


class Watch(Thread):
    """Stops a consumer once it has acknowledged this many messages more, and remembers when that was."""

    def __init__(self, subscription: str, number: int, *, stop: Event) -> None:
        super().__init__(name="watch", daemon=True)
        self.ended: float | None = None
        self._subscription = subscription
        self._stop_event = stop
        self._at = self._consumed() + number

    def run(self) -> None:
        """Watch."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._consumed() < self._at and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        if self._consumed() >= self._at:
            self.ended = time.perf_counter()
        self._stop_event.set()

    def _consumed(self) -> float:
        wanted = {"subscription": self._subscription}
        return REGISTRY.get_sample_value("failure_agent_consumed_total", wanted) or 0.0
