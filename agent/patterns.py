r"""Backtracking search with time limits, for patterns that RE2 cannot express (``engine: backtracking``).

Each search has a time limit. All together they may take a share of wall time. A pattern that runs out of time
three times is suspended for ten minutes. A search blocks its thread, so it does not belong on an event loop;
the ``regex`` package lets other threads run meanwhile. Patterns mean what ``regex`` makes of them, which
is not Go's dialect: its ``\d``, ``\w`` and ``\b`` know all of Unicode and its ``$`` matches before a last newline.
"""

import math
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from agent.core.classify.pattern import PatternError
from agent.core.classify.search import Answer, Found, NotFound, Search, TimedOut

if TYPE_CHECKING:
    import regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much searching is allowed; times in seconds of wall time.

    ``share`` of each window of ``window_seconds`` may go into searching, of all patterns together.
    """

    search_seconds: float = 0.02
    share: float = 0.05
    window_seconds: int = 60
    timeouts: int = 3
    suspension_seconds: float = 600.0


DEFAULT_LIMITS = Limits()


class BacktrackingSearches:
    """Compiles patterns to searches that share one allowance of time. Thread-safe."""

    def __init__(self, *, clock: Callable[[], float], limits: Limits = DEFAULT_LIMITS) -> None:
        """``clock`` is monotonic, in seconds."""
        self._clock = clock
        self._limits = limits
        self._allowance = _Allowance(limits)

    def __call__(self, pattern: str) -> Search:
        """Compile ``pattern``. Raises ``PatternError``."""
        import regex  # noqa: PLC0415 - takes longer to import than one pod to classify, and few rules need it

        try:
            compiled = regex.compile(pattern)
        except (regex.error, RecursionError) as error:
            raise PatternError(str(error)) from error
        return _LimitedSearch(compiled, allowance=self._allowance, clock=self._clock, limits=self._limits)


class _Method(Protocol):
    def __call__(self, string: str, *, timeout: float) -> "regex.Match[str] | None": ...


class _LimitedSearch:
    """One pattern and its record of time-outs."""

    def __init__(
        self, pattern: "regex.Pattern[str]", *, allowance: "_Allowance", clock: Callable[[], float], limits: Limits
    ) -> None:
        self._pattern = pattern
        self._allowance = allowance
        self._clock = clock
        self._limits = limits
        self._lock = threading.Lock()
        self._timeouts = 0
        self._suspended_until = -math.inf

    def search(self, text: str) -> Answer:
        """Look for the pattern anywhere in ``text``; an empty text never matches."""
        return self._within_limits(self._pattern.search, text) if text else NotFound()

    def match(self, text: str) -> Answer:
        """Look for the pattern at the start of ``text``; an empty text may match."""
        return self._within_limits(self._pattern.match, text)

    def _within_limits(self, search: "_Method", text: str) -> Answer:
        started = self._clock()
        if self._is_suspended(started):
            return TimedOut(
                why=f"suspended for {self._limits.suspension_seconds:g} s after {self._limits.timeouts} time-outs"
            )
        if not self._allowance.reserve(started):
            return TimedOut(why=f"searches have used up their {self._limits.share:.0%} of wall time")
        try:
            found = search(text, timeout=self._limits.search_seconds)
        except TimeoutError:
            self._count_timeout()
            return TimedOut(why=f"took longer than {self._limits.search_seconds * 1000:g} ms")
        finally:
            self._allowance.settle(started, took=self._clock() - started)
        return NotFound() if found is None else Found(start=found.start(), end=found.end())

    def _is_suspended(self, now: float) -> bool:
        with self._lock:
            return now < self._suspended_until

    def _count_timeout(self) -> None:
        with self._lock:
            self._timeouts += 1
            if self._timeouts >= self._limits.timeouts:
                self._timeouts = 0
                self._suspended_until = self._clock() + self._limits.suspension_seconds


class _Allowance:
    """Time spent on searching in the last window, kept by the second.

    A search reserves its whole time limit before it starts and is charged what it took when it ends, so searches
    in several threads cannot spend the same time.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._spent: deque[tuple[int, float]] = deque()
        self._total = 0.0
        self._reserved = 0.0

    def reserve(self, now: float) -> bool:
        """Whether a search may start. If so, call ``settle`` when it ends."""
        with self._lock:
            self._forget(now)
            wanted = self._total + self._reserved + self._limits.search_seconds
            if wanted > self._limits.share * self._limits.window_seconds:
                return False
            self._reserved += self._limits.search_seconds
            return True

    def settle(self, started: float, *, took: float) -> None:
        """Charge a search that has ended with the time it took, instead of its reservation."""
        with self._lock:
            self._reserved -= self._limits.search_seconds
            second = int(started + took)
            if self._spent and self._spent[-1][0] >= second:
                last, spent = self._spent.pop()
                self._spent.append((last, spent + took))
            else:
                self._spent.append((second, took))
            self._total += took

    def _forget(self, now: float) -> None:
        while self._spent and self._spent[0][0] + 1 <= now - self._limits.window_seconds:
            self._total -= self._spent.popleft()[1]
        if not self._spent:
            self._total = 0.0
