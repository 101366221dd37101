"""How long to wait before trying again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Doubles from ``first`` to ``most`` seconds; between half and all of it, so that many do not return at once."""

    first: float = 0.1
    most: float = 10.0

    def seconds(self, attempt: int, *, jitter: float) -> float:
        """The wait before try ``attempt`` (from 0); ``jitter`` is in [0, 1)."""
        whole = min(self.most, self.first * 2.0 ** min(attempt, 32))
        return whole * (0.5 + 0.5 * jitter)
