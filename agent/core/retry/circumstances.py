"""What one decision is made in, beside the failure and the policies."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from agent.core.heartbeat import NodeShape
from agent.core.history import History
from agent.core.retry.settings import RetrySettings
from agent.core.run import RunFacts


class Circumstances(NamedTuple):
    """The run, its lineage's history before it, the settings, the time, and the chance that jitter takes.

    ``shapes`` are those of the nodes the next run may go to, ``None`` where they are not known.
    """

    run: RunFacts
    history: History
    settings: RetrySettings
    now: datetime
    draw: float = 0.0
    shapes: Sequence[NodeShape] | None = None

    @property
    def failed_at(self) -> datetime:
        """When the run failed; now, where that is not known."""
        return self.now if self.run.ended_at is None else self.run.ended_at
