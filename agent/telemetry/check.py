"""One check of a process's health, asked so that it cannot hold up the answer."""

import threading
from collections.abc import Callable

import structlog

_log = structlog.get_logger(__name__)

Check = Callable[[], str | None]
"""Nothing where all is well, else a sentence about what is not."""


class CheckRunner:
    """Asks a check on a thread, one at a time: what hangs (a disk, a network) is found out by its silence."""

    def __init__(self, name: str, check: Check) -> None:
        self._name = name
        self._check = check
        self._lock = threading.Lock()
        self._run: _CheckRun | None = None

    def ask(self) -> "_CheckRun":
        """Begin to ask, unless an earlier question is still open; both get the same answer."""
        with self._lock:
            if self._run is None or self._run.ended.is_set():
                self._run = _CheckRun()
                asking = threading.Thread(
                    target=self._answer, args=(self._run,), name=f"check {self._name}", daemon=True
                )
                asking.start()
            return self._run

    def _answer(self, asked: "_CheckRun") -> None:
        try:
            asked.answer = self._check()
        except Exception as error:  # noqa: BLE001 - a check that raises is unwell, whatever it raised
            _log.exception("health check raised", check=self._name)
            asked.answer = f"the check failed: {type(error).__name__}: {error}"
        finally:
            asked.ended.set()


class _CheckRun:
    """A question that was asked."""

    def __init__(self) -> None:
        self.answer: str | None = None
        self.ended = threading.Event()

    def within(self, seconds: float) -> str | None:
        """The answer, or that there is none after so long."""
        return self.answer if self.ended.wait(max(0.0, seconds)) else "no answer in time"
