"""Arrivals: somebody who subscribes to a topic and looks at the clock whenever something comes."""

from contextlib import closing
from datetime import UTC, datetime
from threading import Event, Thread
from types import TracebackType
from typing import Final, Self

from agent.broker.connect import connect
from agent.broker.port import SubscriptionKind
from agent.core.run_event import RunEvent
from agent.wire import events

_NAME: Final = "arrivals"
_POLL_SECONDS: Final = 1.0
_PATIENCE_SECONDS: Final = 120.0


class Arrivals:
    """``seconds``: how long after its agent saw the failure of each pod whose name begins with ``pods`` it came here.

    That is later than the broker has it, by what the way back takes. Subscribes on entering ``with``, which lasts until
    all that was there before has been received.
    """

    def __init__(self, url: str, *, topic: str, pods: str) -> None:
        self.seconds: list[float] = []
        self._url = url
        self._topic = topic
        self._pods = pods
        self._caught_up = Event()
        self._stop = Event()
        self._thread = Thread(target=self._receive, name="arrivals", daemon=True)

    def __enter__(self) -> Self:
        with closing(connect(self._url)) as broker:
            broker.ensure_subscription(self._topic, _NAME)
        self._thread.start()
        if not self._caught_up.wait(_PATIENCE_SECONDS):
            raise TimeoutError(f"{self._topic} was not read to its end within {_PATIENCE_SECONDS:.0f} s")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _receive(self) -> None:
        with closing(connect(self._url)) as broker:
            kind = SubscriptionKind.KEY_SHARED
            subscription = broker.subscribe([self._topic], name=_NAME, kind=kind, consumer=_NAME)
            while not self._stop.is_set():
                for delivery in (some := subscription.receive(at_most=1, timeout=_POLL_SECONDS)):
                    self._take(delivery.message.payload, at=datetime.now(UTC))
                subscription.ack(some)
                if not some:
                    self._caught_up.set()

    def _take(self, payload: bytes, *, at: datetime) -> None:
        event = events.decode_any(payload)
        if isinstance(event, RunEvent) and event.pod.name.startswith(self._pods):
            self.seconds.append((at - event.observed_at).total_seconds())
