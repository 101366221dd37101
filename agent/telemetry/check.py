"""Runs a health check on a thread, so that a check that hangs does not delay the answer."""

import threading
from collections.abc import Callable

import structlog

_log = structlog.get_logger(__name__)

Check = Callable[[], str | None]
"""``None`` if all is well, else one sentence about what is not."""


def problem_of(act: Callable[[], object], expected: type[Exception]) -> str | None:
    """What is wrong, as the expected error of an act says; ``None`` if it raises none."""
    try:
        act()
    except expected as error:
        return str(error)
    return None


class CheckRunner:
    """Runs a check on a thread, once at a time; one that hangs (a disk, a network) gives no answer in time."""

    def __init__(self, name: str, check: Check) -> None:
        self._name = name
        self._check = check
        self._lock = threading.Lock()
        self._run: _CheckRun | None = None

    def ask(self) -> "_CheckRun":
        """Start the check, unless an earlier run has not ended: both callers then get its answer."""
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
        except Exception as error:  # noqa: BLE001 - a check that raises has failed, whatever it raised
            _log.exception("health check raised", check=self._name)
            asked.answer = f"the check failed: {type(error).__name__}: {error}"
        finally:
            asked.ended.set()


class _CheckRun:
    def __init__(self) -> None:
        self.answer: str | None = None
        self.ended = threading.Event()

    def within(self, seconds: float) -> str | None:
        """The result, or ``no answer in time`` after this number of seconds."""
        return self.answer if self.ended.wait(max(0.0, seconds)) else "no answer in time"
