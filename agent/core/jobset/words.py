"""The types of a JobSet manifest. Enumerations stay text, because a newer server may use unknown values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.core.job.words import JobSpec

FAIL_JOB_SET = "FailJobSet"
RESTART_JOB_SET = "RestartJobSet"
RESTART_JOB_SET_UNCOUNTED = "RestartJobSetAndIgnoreMaxRestarts"
RESTART_JOB = "RestartJob"
RESTART_JOB_UNCOUNTED = "RestartJobAndIgnoreMaxRestarts"
RECREATE_JOB = "RecreateJob"
"""``RestartJob`` as KEP-262 called it in summer 2025; removed before a release (kubernetes-sigs/jobset#982)."""

ACTIONS = (FAIL_JOB_SET, RESTART_JOB_SET, RESTART_JOB_SET_UNCOUNTED, RESTART_JOB, RESTART_JOB_UNCOUNTED)
"""Upstream's actions."""

RESTARTS_OF_ONE_JOB = frozenset({RESTART_JOB, RESTART_JOB_UNCOUNTED})
COUNTED = frozenset({RESTART_JOB_SET, RESTART_JOB})
"""The actions whose restarts count towards ``maxRestarts``."""

RECREATE = "Recreate"
BLOCKING_RECREATE = "BlockingRecreate"
IN_PLACE = "InPlaceRestart"
STRATEGIES = (RECREATE, BLOCKING_RECREATE, IN_PLACE)

ALL = "All"
ANY = "Any"
ANY_ORDER = "AnyOrder"
IN_ORDER = "InOrder"

JOB_SET_CONTROLLER = "jobset.sigs.k8s.io/jobset-controller"
MOST_REPLICAS_RESTARTED_ALONE = 1024
"""The most replicas of a replicated job if single Jobs are restarted: the status lists each."""


def canonical(action: str) -> str:
    """Return the action by upstream's name: ``RecreateJob`` is ``RestartJob``."""
    return RESTART_JOB if action == RECREATE_JOB else action


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of ``failurePolicy``. An empty tuple matches any; ``patterns`` are RE2, searched anywhere."""

    name: str = ""
    action: str = ""
    reasons: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FailurePolicy:
    """``failurePolicy``. ``max_restarts`` counts restarts, so n allow n + 1 attempts."""

    max_restarts: int = 0
    strategy: str = ""
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessPolicy:
    """``successPolicy``; without targets it applies to all replicated jobs."""

    operator: str = ALL
    targets: tuple[str, ...] = ()

    def is_about(self, replicated_job: str | None) -> bool:
        """Return whether the Jobs of a replicated job count for success."""
        return not self.targets or replicated_job in self.targets


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicatedJob:
    """One of ``replicatedJobs``; ``written`` is its template, to detect changes in an update."""

    name: str
    replicas: int = 1
    spec: JobSpec = field(default_factory=JobSpec)
    written: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetSpec:
    """``spec`` of a JobSet. ``None`` is a field that is not set; seconds are whole seconds."""

    replicated_jobs: tuple[ReplicatedJob, ...] = ()
    failure_policy: FailurePolicy | None = None
    success_policy: SuccessPolicy | None = None
    startup_order: str | None = None
    suspend: bool | None = None
    ttl_seconds_after_finished: int | None = None
    managed_by: str | None = None

    @property
    def suspended(self) -> bool:
        """Whether the JobSet should run nothing for now."""
        return self.suspend is True

    @property
    def in_order(self) -> bool:
        """Whether a replicated job starts only when the previous ones have started."""
        return self.startup_order == IN_ORDER

    @property
    def strategy(self) -> str:
        """``restartStrategy``; ``Recreate`` if not set."""
        return (self.failure_policy.strategy if self.failure_policy else "") or RECREATE

    @property
    def replicas(self) -> int:
        """How many Jobs there should be."""
        return sum(replicated.replicas for replicated in self.replicated_jobs)

    def replicated(self, name: str) -> ReplicatedJob | None:
        return next((replicated for replicated in self.replicated_jobs if replicated.name == name), None)
