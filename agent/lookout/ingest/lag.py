"""How far what is stored is behind what was published."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from agent.broker.consume.batch import TransientError
from agent.broker.port import Delivery
from agent.core.units import in_words
from agent.telemetry import lookout_metrics as metrics

_QUIET: Final = timedelta(minutes=1)
"""After a minute without a batch there was nothing to store: messages that wait come at once."""


class Lag:
    """The age of the oldest message of the latest batch when it was stored; while one is stored or waits, its age now.

    Written on the consumer's thread, read on any. Between batches it says what the latest said for a minute, and then
    nothing, so it is no proof that messages arrive: readiness of the consumer is.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._stored = timedelta(0)
        self._stored_at = clock()
        self._waits_since: datetime | None = None
        metrics.LAG_SECONDS.set_function(lambda: self.now().total_seconds())

    @contextmanager
    def storing(self, deliveries: Sequence[Delivery]) -> Iterator[None]:
        """While it is entered these are stored. After TransientError they wait: the reason is not theirs."""
        oldest = self._waits_since = min(delivery.published_at for delivery in deliveries)
        try:
            yield
        except TransientError:
            raise
        except Exception:
            self._waits_since = None  # it is not the database for which these wait
            raise
        self._stored_at = self._clock()
        self._stored, self._waits_since = self._stored_at - oldest, None

    def now(self) -> timedelta:
        """Never below zero, although two clocks differ."""
        return max(self._found(self._clock(), self._waits_since), timedelta(0))

    def _found(self, now: datetime, waits_since: datetime | None) -> timedelta:
        if waits_since is not None:
            return now - waits_since
        return timedelta(0) if now - self._stored_at > _QUIET else self._stored

    def problem(self, at_most: timedelta) -> str | None:
        """``None`` while it is within ``at_most``, else what is wrong, for readiness."""
        lag = self.now()
        if lag <= at_most:
            return None
        limit = in_words(at_most.total_seconds())
        return f"what is stored is {in_words(round(lag.total_seconds()))} behind what was published; maxLag is {limit}"
