"""One check of a process's health, asked so that it cannot hold up the answer."""

import threading
from collections.abc import Callable

import structlog

_log = structlog.get_logger(__name__)

Check = Callable[[], str | None]
"""Nothing where all is well, else a sentence about what is not."""


class Question:
    """Asks a check on a thread, one at a time: what hangs (a disk, a network) is found out by its silence."""

    def __init__(self, name: str, check: Check) -> None:
        self._name = name
        self._check = check
        self._lock = threading.Lock()
        self._asked: _Asked | None = None

    def ask(self) -> "_Asked":
        """Begin to ask, unless an earlier question is still open; both get the same answer."""
        with self._lock:
            if self._asked is None or self._asked.ended.is_set():
                self._asked = _Asked()
                asking = threading.Thread(
                    target=self._answer, args=(self._asked,), name=f"check {self._name}", daemon=True
                )
                asking.start()
            return self._asked

    def _answer(self, asked: "_Asked") -> None:
        try:
            asked.answer = self._check()
        except Exception as error:  # noqa: BLE001 - a check that raises is unwell, whatever it raised
            _log.exception("health check raised", check=self._name)
            asked.answer = f"the check failed: {type(error).__name__}: {error}"
        finally:
            asked.ended.set()


class _Asked:
    """A question that was asked."""

    def __init__(self) -> None:
        self.answer: str | None = None
        self.ended = threading.Event()

    def within(self, seconds: float) -> str | None:
        """The answer, or that there is none after so long."""
        return self.answer if self.ended.wait(max(0.0, seconds)) else "no answer in time"
