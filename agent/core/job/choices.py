"""Options for a Job to differ from upstream's surprising behaviour; the default is upstream's (docs/jobs.md)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options that a Job sets by annotations.

    ``delay_ignored``: failures that Ignore does not count still delay the next pod. ``delay_each``: each of several
    simultaneous failures doubles the delay. ``restarts_reach``: restarts under OnFailure end the Job when they reach
    ``backoffLimit``, not when they exceed it.
    """

    delay_ignored: bool = True
    delay_each: bool = True
    restarts_reach: bool = True


AS_UPSTREAM = Choices()
