"""How long to wait before asking again: decorrelated jitter (reference/performance.md 2c.6)."""

from dataclasses import dataclass, replace
from typing import Final

BASE_SECONDS: Final = 0.8
LIMIT_SECONDS: Final = 30.0
RETRY_AFTER_LIMIT_SECONDS: Final = 600.0
"""The longest wish of a server that is granted: a nonsense header must not silence a cluster for a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The waits, in seconds: between ``base`` and ``limit``, each up to three times the one before."""

    base: float = BASE_SECONDS
    limit: float = LIMIT_SECONDS
    last: float | None = None

    def after(self, draw: float, *, retry_after: float | None = None) -> tuple["Backoff", float]:
        """The next state, and the seconds to wait. ``draw`` is random in [0, 1); ``retry_after`` the server's wish."""
        widest = 3 * (self.base if self.last is None else self.last)
        jitter = min(self.limit, self.base + draw * max(0.0, widest - self.base))
        wish = 0.0 if retry_after is None else min(retry_after, RETRY_AFTER_LIMIT_SECONDS)
        return replace(self, last=jitter), max(jitter, wish)

    def reset(self) -> "Backoff":
        """As at the start."""
        return replace(self, last=None)
