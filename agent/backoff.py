"""How long to wait before trying again. Pure: callers draw the random numbers and sleep."""

from dataclasses import dataclass, replace
from typing import Final

BASE_SECONDS: Final = 0.8
LIMIT_SECONDS: Final = 30.0
NO_JITTER: Final = 1.0
"""The jitter of one who waits alone, where many cannot try at once: each wait is the whole of it."""

RETRY_AFTER_LIMIT_SECONDS: Final = 600.0
"""Longest Retry-After that is obeyed: a nonsense header must not silence a cluster for a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Doubles from ``first`` to ``most`` seconds. Jitter takes up to half of it, so that many do not retry at once."""

    first: float = 0.1
    most: float = 10.0

    def seconds(self, attempt: int, *, jitter: float) -> float:
        """Seconds to wait before try ``attempt`` (from 0); ``jitter`` is random in [0, 1), or NO_JITTER."""
        whole = min(self.most, self.first * 2.0 ** min(attempt, 32))  # bounded, so that the power cannot overflow
        return whole * (0.5 + 0.5 * jitter)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecorrelatedBackoff:
    """Seconds between ``base`` and ``limit``, each up to three times the one before ("decorrelated jitter")."""

    base: float = BASE_SECONDS
    limit: float = LIMIT_SECONDS
    last: float | None = None

    def after(self, draw: float, *, retry_after: float | None = None) -> tuple["DecorrelatedBackoff", float]:
        """The next state, and seconds to wait. ``draw`` is random in [0, 1); ``retry_after`` is the server's header."""
        widest = 3 * (self.base if self.last is None else self.last)
        jitter = min(self.limit, self.base + draw * max(0.0, widest - self.base))
        wish = 0.0 if retry_after is None else min(retry_after, RETRY_AFTER_LIMIT_SECONDS)
        return replace(self, last=jitter), max(jitter, wish)

    def reset(self) -> "DecorrelatedBackoff":
        return replace(self, last=None)
