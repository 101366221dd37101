"""The states of a submitted job."""

from enum import StrEnum
from typing import Final


class State(StrEnum):
    """The state of a submitted job.

    ``stopping``: the job has ended as failed or cancelled, and a pod of it may still live. ``retry-waiting``: a run
    ended, and the next one waits for the stop of its pod, for its time or for a cluster.
    """

    QUEUED = "queued"
    LEASED = "leased"
    PENDING = "pending"
    RUNNING = "running"
    RETRY_WAITING = "retry-waiting"
    STOPPING = "stopping"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


WAITING: Final = frozenset({State.QUEUED, State.RETRY_WAITING})
"""The next run may be leased once nothing holds it."""

ACTIVE: Final = frozenset({State.LEASED, State.PENDING, State.RUNNING})
"""A run is open."""

FINAL: Final = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED})
"""The job has ended, and no run follows unless a person reopens it."""
