"""Does the broker answer? Called often, by threads that must not wait long."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from threading import Lock
from typing import Final

from agent.broker.port import BrokerError, Unreachable

_PATIENCE_SECONDS: Final = 2.0


class Ping:
    """``ask`` may block for long before it raises BrokerError; ``explain`` then finds the reason, if it can.

    ``patience``: how many seconds a ping waits for each of them.
    """

    def __init__(
        self,
        where: str,
        *,
        ask: Callable[[], object],
        explain: Callable[[], str | None],
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self._where = where
        self._patience = patience
        self._ask = ask
        self._explain = explain
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="pulsar ping")
        self._asking: Future[object] | None = None
        self._explaining: Future[str | None] | None = None
        self._why: str | None = None

    def ping(self) -> None:
        """Raise Unreachable, with the reason where it is known, unless there is an answer in time."""
        try:
            self._asked().result(self._patience)
        except NotInTime as error:
            raise self._unreachable(f"no answer within {self._patience:g} s") from error
        except BrokerError as error:
            raise self._unreachable(str(error)) from error
        self._why = None

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _asked(self) -> Future[object]:
        """One call at a time: while one blocks, later pings wait for the same answer instead of using up threads."""
        with self._lock:
            if self._asking is None or self._asking.done():
                self._asking = self._pool.submit(self._ask)
            return self._asking

    def _unreachable(self, words: str) -> Unreachable:
        why = self._explained()
        return Unreachable(f"{self._where}: {words}" + (f"; {why}" if why else ""))

    def _explained(self) -> str | None:
        with self._lock:
            if self._explaining is None or self._explaining.done():
                self._explaining = self._pool.submit(self._explain)
            explaining = self._explaining
        try:
            self._why = explaining.result(self._patience)
        except NotInTime:
            return self._why
        return self._why
