"""A pod of a Job, as far as the Job controller looks at it, and its interpretation."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.evidence import ContainerKind
from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.indexes import read_number
from agent.core.job.words import FAILED_ONLY, MAX_INT32, JobSpec

INDEX = "batch.kubernetes.io/job-completion-index"
FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count"

PENDING, RUNNING, SUCCEEDED, FAILED, UNKNOWN = "Pending", "Running", "Succeeded", "Failed", "Unknown"

_ORDINAL = {UNKNOWN: 1, RUNNING: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyMatch:
    """The result of a policy for a failed pod.

    ``action`` is ``None`` if no rule matched: then the failure counts. ``message`` is only set for FailJob.

    ``rule`` is the index of the rule, from 0.
    """

    counts: bool = True
    action: str | None = None
    message: str | None = None
    rule: int | None = None


UNMATCHED = PolicyMatch()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobContainer:
    """One container's status. ``exit_code`` is ``None`` unless it is terminated now."""

    name: str = ""
    kind: ContainerKind = ContainerKind.APP
    exit_code: int | None = None
    finished_at: datetime | None = None
    restarts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PodCondition:
    """A condition of the pod. ``status`` is a text."""

    type: str
    status: str
    transitioned_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPod:
    """One pod. ``containers`` are app containers in status order, then init containers and sidecars.

    ``index`` is ``None`` if the annotation is missing or invalid; ``tracked``: the finalizer is still present;
    ``grace`` is that of the deletion. ``created_at`` ``None`` means Go's zero time. ``ours`` is the result of our own
    rules, which is used if no rule of the Job's policy matches.
    """

    uid: str
    name: str = ""
    namespace: str = ""
    phase: str = PENDING
    index: int | None = None
    failure_count: int = 0
    ignored_failure_count: int = 0
    tracked: bool = True
    assigned: bool = False
    created_at: datetime | None = None
    deleted_at: datetime | None = None
    grace: timedelta = timedelta(0)
    containers: tuple[JobContainer, ...] = ()
    conditions: tuple[PodCondition, ...] = ()
    ours: PolicyMatch | None = None

    @property
    def terminal(self) -> bool:
        return self.phase in (SUCCEEDED, FAILED)

    @property
    def active(self) -> bool:
        """Whether it has neither ended nor is being deleted."""
        return not self.terminal and self.deleted_at is None

    @property
    def terminating(self) -> bool:
        """Whether it is being deleted and has not ended."""
        return not self.terminal and self.deleted_at is not None

    @property
    def ready(self) -> bool:
        """Whether its condition Ready is True."""
        return any(condition.type == "Ready" and condition.status == "True" for condition in self.conditions)

    @property
    def restarts(self) -> int:
        """The restarts of its app and init containers, if it is Running or Pending."""
        return sum(container.restarts for container in self.containers) if self.phase in (RUNNING, PENDING) else 0

    @property
    def all_failures(self) -> int:
        """The earlier failures of its index, including ignored ones."""
        return self.failure_count + self.ignored_failure_count


def read_index(annotation: str | None) -> int | None:
    """Read the completion index annotation; ``None`` if invalid (``getCompletionIndex``)."""
    index = _read(annotation)
    return index if index is not None and index >= 0 else None


def read_failure_count(annotation: str | None) -> int:
    """Read a failure count annotation; missing, not a number, negative or above int32 is 0 (``parseInt32``)."""
    count = _read(annotation)
    return count if count is not None and 0 <= count <= MAX_INT32 else 0


def only_failed_are_replaced(spec: JobSpec, gates: Gates = ALL_ON) -> bool:
    """Return whether a terminating pod is neither failed nor replaced (``onlyReplaceFailedPods``)."""
    chosen = gates.pod_replacement_policy and spec.pod_replacement_policy == FAILED_ONLY
    return chosen or spec.pod_failure_policy is not None


def is_failed(pod: JobPod, spec: JobSpec, gates: Gates = ALL_ON) -> bool:
    """Return whether a pod counts as failed (``isPodFailed``)."""
    if pod.phase == FAILED:
        return True
    return pod.terminating and not only_failed_are_replaced(spec, gates)


def finish_time(pod: JobPod, gates: Gates = ALL_ON) -> datetime | None:
    """Return when a pod finished (``getFinishedTime``); ``None`` means Go's zero time."""
    by_deletion = None if pod.deleted_at is None else pod.deleted_at - pod.grace
    return _from_containers(pod, gates) or _from_readiness(pod) or by_deletion or pod.created_at


def removal_order(pod: JobPod) -> tuple[bool, int, bool, float, int, int, float, int, str]:
    """Return the sort key of surplus pods, first to delete first (``controller.ActivePods``).

    First those that are unassigned, Pending, not ready, ready for a shorter time, restarted more often (app containers,
    then sidecars), younger. Upstream takes any of equal pods, or the lowest index of a few; sorting by index and uid
    gives the same result after a restart.
    """
    ready_at = (
        next((condition.transitioned_at for condition in pod.conditions if condition.type == "Ready"), None)
        if pod.ready
        else None
    )
    since = float("-inf") if ready_at is None else -ready_at.timestamp()
    restarts, of_sidecars = (_most_restarts(pod, kind) for kind in (ContainerKind.APP, ContainerKind.SIDECAR))
    age = float("-inf") if pod.created_at is None else -pod.created_at.timestamp()
    index = -1 if pod.index is None else pod.index
    return (pod.assigned, _ORDINAL.get(pod.phase, 0), pod.ready, since, -restarts, -of_sidecars, age, index, pod.uid)


def _most_restarts(pod: JobPod, kind: ContainerKind) -> int:
    return max((container.restarts for container in pod.containers if container.kind is kind), default=0)


def _from_containers(pod: JobPod, gates: Gates) -> datetime | None:
    apps = _latest(pod, ContainerKind.APP)
    if not gates.sidecar_containers:
        return apps
    sidecars = [container for container in pod.containers if container.kind is ContainerKind.SIDECAR]
    if not sidecars:
        return apps
    latest = _latest(pod, ContainerKind.SIDECAR)
    return None if latest is None else max(latest, apps or latest)


def _latest(pod: JobPod, kind: ContainerKind) -> datetime | None:
    times = [
        None if container.exit_code is None else container.finished_at
        for container in pod.containers
        if container.kind is kind
    ]
    known = [time for time in times if time is not None]
    return max(known) if known and len(known) == len(times) else None


def _from_readiness(pod: JobPod) -> datetime | None:
    ready = next((condition for condition in pod.conditions if condition.type == "Ready"), None)
    return ready.transitioned_at if ready is not None and ready.status == "False" else None


def _read(annotation: str | None) -> int | None:
    return None if annotation is None else read_number(annotation)
