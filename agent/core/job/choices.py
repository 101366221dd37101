"""Where upstream surprises people, a Job may choose otherwise; without a choice it is as upstream (docs/jobs.md)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a Job chose by annotations.

    ``delay_ignored``: failures that Ignore leaves uncounted delay the next pod all the same. ``delay_each``: each of
    several failures at once doubles the delay. ``restarts_reach``: restarts under OnFailure end the Job when they
    reach ``backoffLimit``, not when they exceed it.
    """

    delay_ignored: bool = True
    delay_each: bool = True
    restarts_reach: bool = True


AS_UPSTREAM = Choices()
