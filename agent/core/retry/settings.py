"""The settings of retrying that hold for every policy, as values (seed, "Scheduler Config")."""

from dataclasses import dataclass
from datetime import timedelta

from agent.core.retry.policy import Backoff

SEED_BACKOFF = Backoff(initial=timedelta(0), maximum=timedelta(minutes=10), multiplier=2.0)
"""``defaultBackoff`` of the seed: at once, as long as no initial delay is written anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """``retryPolicy:`` of the scheduler's settings.

    ``enabled`` switches retry policies only; without them the legacy formula decides, which is what
    ``max_attempted_runs`` is for. ``global_max_retries`` caps the retries that policies grant to one lineage; 0
    stops them all, ``None`` caps nothing. ``gang_settle`` is how long a gang's later failures are waited for.
    """

    enabled: bool = False
    global_max_retries: int | None = 20
    default_policy_name: str | None = None
    default_backoff: Backoff = SEED_BACKOFF
    max_attempted_runs: int = 3
    gang_settle: timedelta = timedelta(seconds=5)
