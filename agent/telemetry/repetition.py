"""Limits how often a problem that lasts is logged."""

import time
from collections.abc import Callable
from typing import Final

EVERY_SECONDS: Final = 300.0


class Repetition:
    """Decides which lines about one problem are logged: the first, then one in five minutes. Used by one thread.

    A problem that changes its text, or comes back after it was ``over``, counts as another one.
    """

    def __init__(self, *, every: float = EVERY_SECONDS, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._every = every
        self._monotonic = monotonic
        self._problem: str | None = None
        self._logged_at = 0.0

    def is_due(self, problem: str) -> bool:
        """Whether to log the problem, which has happened again, now."""
        now = self._monotonic()
        if problem == self._problem and now - self._logged_at < self._every:
            return False
        self._problem, self._logged_at = problem, now
        return True

    def over(self) -> None:
        """The problem is gone."""
        self._problem = None
