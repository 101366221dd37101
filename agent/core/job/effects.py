"""What is to be done after a step, and what the step changed in the status: values for the shell to carry out."""

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
    """Make a pod. ``index`` is ``None`` for NonIndexed, ``counts`` (failures, ignored failures) without per-index."""

    index: int | None = None
    counts: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePod:
    """Delete a living pod; ``uncounted``: take its finalizer off first, so that it never counts."""

    uid: str
    uncounted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePod:
    """Take the tracking finalizer off a pod, which has been accounted for."""

    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequeueAfter:
    """Take the next step after this time, even if no pod changes."""

    after: timedelta


Effect = CreatePod | DeletePod | ReleasePod | RequeueAfter


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What a step changed. Counts are the new values; the index sets are what is new in them.

    ``actions`` counts the failures that each action of the policy handled, ``made`` the pods to be made and
    ``made_because`` says why, in the words of Kubernetes' metric. ``finished`` is the condition that ended the Job in
    this step.
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
