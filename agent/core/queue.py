"""A queue: where jobs are submitted, and what holds for all of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class GracefulShutdown(StrEnum):
    """When the next run may start while the one before may still be alive (docs/resources.md, Queues).

    ``TIMER``: once its end is confirmed or its grace period is over. ``CONFIRMED``: only once it is confirmed.
    """

    TIMER = "timer"
    CONFIRMED = "confirmed"


class LostCluster(StrEnum):
    """What happens to runs of a cluster that stopped responding."""

    REPLACE = "replace"
    WAIT = "wait"


class Verb(StrEnum):
    """What somebody may do with a queue; by Armada's names."""

    SUBMIT = "submit"
    CANCEL = "cancel"
    PREEMPT = "preempt"
    REPRIORITIZE = "reprioritize"
    WATCH = "watch"


class SubjectKind(StrEnum):
    USER = "User"
    GROUP = "Group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A user or a group."""

    kind: SubjectKind
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """The actions that these subjects may take on a queue."""

    subjects: tuple[Subject, ...]
    verbs: frozenset[Verb]


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue.

    ``policies`` are the retry policies that always apply to its jobs, in order; to Kubernetes Jobs only if
    ``apply_to_jobs``. ``priority`` divides its share of resources: a larger number gets less, as Armada's
    ``priorityFactor``. ``clusters`` are those that its jobs may run in, ``None`` for all; ``namespaces`` and
    ``service_accounts`` those that they may use. ``max_active_runs`` is ``None`` for no limit. What
    ``graceful_shutdown`` and ``lost_cluster`` leave open, the scheduler's settings say. A queue that is ``cordoned``
    starts nothing.
    """

    name: str
    policies: tuple[str, ...] = ()
    priority: float = 1.0
    clusters: tuple[str, ...] | None = None
    max_active_runs: int | None = None
    apply_to_jobs: bool = False
    graceful_shutdown: GracefulShutdown | None = None
    lost_cluster: LostCluster | None = None
    namespaces: tuple[str, ...] | None = None
    service_accounts: tuple[str, ...] | None = None
    permissions: tuple[Permission, ...] = ()
    cordoned: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
