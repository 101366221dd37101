"""How far what is stored is behind what was published."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from agent.broker.port import Delivery
from agent.core.units import in_words
from agent.telemetry import lookout_metrics as metrics


class Lag:
    """The age of the oldest message of the latest batch when it was stored; while a batch waits, its age now.

    Written on the consumer's thread, read on any. Between batches it says what the latest said, so it is no proof that
    messages arrive: readiness of the consumer is.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._stored = timedelta(0)
        self._waits_since: datetime | None = None
        metrics.LAG_SECONDS.set_function(lambda: self.now().total_seconds())

    def stored(self, deliveries: Sequence[Delivery]) -> None:
        """These are stored now."""
        self._stored = self._clock() - _oldest(deliveries)
        self._waits_since = None

    def waits(self, deliveries: Sequence[Delivery]) -> None:
        """These cannot be stored now, for a reason that is not theirs."""
        self._waits_since = _oldest(deliveries)

    def now(self) -> timedelta:
        """Never below zero, although two clocks differ."""
        since = self._waits_since
        found = self._stored if since is None else self._clock() - since
        return max(found, timedelta(0))

    def problem(self, at_most: timedelta) -> str | None:
        """``None`` while it is within ``at_most``, else what is wrong, for readiness."""
        lag = self.now()
        if lag <= at_most:
            return None
        limit = in_words(at_most.total_seconds())
        return f"what is stored is {in_words(round(lag.total_seconds()))} behind what was published; maxLag is {limit}"


def _oldest(deliveries: Sequence[Delivery]) -> datetime:
    return min(delivery.published_at for delivery in deliveries)
