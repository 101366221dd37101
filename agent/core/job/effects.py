"""The effects of a step, and its changes of the status: values for the caller to apply."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from agent.core.job.backoff import BackoffRecord
from agent.core.job.status import JobCondition

NEW = "new"
RECREATE_FAILED = "recreate_failed"
RECREATE_TERMINATING_OR_FAILED = "recreate_terminating_or_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePod:
    """Create a pod. ``index`` is ``None`` if NonIndexed, ``counts`` (failures, ignored ones) without per-index."""

    index: int | None = None
    counts: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePod:
    """Delete a live pod; ``uncounted``: remove its finalizer first, so that it never counts."""

    uid: str
    uncounted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePod:
    """Remove the tracking finalizer from a pod that has been accounted for."""

    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequeueAfter:
    """Take the next step after this time, even if no pod changes."""

    after: timedelta


Effect = CreatePod | DeletePod | ReleasePod | RequeueAfter


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What a step changed. Counts are the new values; the index sets contain only what is new.

    ``actions`` counts the failures that each action of the policy handled, ``made`` the pods to create, and
    ``made_because`` is the reason, as a label of Kubernetes' metric. ``finished`` is the condition that ended the Job
    in this step.
    """

    active: int
    ready: int
    terminating: int | None
    succeeded: int
    failed: int
    new_succeeded_indexes: tuple[int, ...] = ()
    new_failed_indexes: tuple[int, ...] = ()
    conditions: tuple[JobCondition, ...] = ()
    start_time: datetime | None = None
    completion_time: datetime | None = None
    record: BackoffRecord = field(default_factory=BackoffRecord)
    actions: Mapping[str, int] = field(default_factory=dict)
    made: int = 0
    made_because: str = NEW
    finished: JobCondition | None = None
    changed: bool = False
