"""Restarts in place: pods stay, and an agent in each pod restarts its containers behind a barrier (alpha)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from agent.core.jobset.apply import Applied, fail
from agent.core.jobset.child import whole_number
from agent.core.jobset.condition import REACHED_MAX_RESTARTS
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import JobSetSpec, ReplicatedJob

ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt"

_POD_FAILED = "Failed"
_EXCEEDED = "jobset failed due to reaching max number of restarts"


class AttemptError(ValueError):
    """An attempt, or the shape of a Job, that does not allow reading restarts in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodInPlace:
    """A pod for restarts in place; ``restarts`` are those of its containers, including init containers."""

    phase: str = ""
    annotations: Mapping[str, str] = field(default_factory=dict)
    restarts: tuple[int, ...] = ()


def restart_in_place(
    spec: JobSetSpec, status: JobSetStatus, pods: Sequence[PodInPlace], *, now: datetime, before: int = 0
) -> Applied:
    """Take one step: fail after too many restarts, lift the barrier when all pods are in one attempt, or restart.

    ``maxRestarts`` may be reached but not exceeded, because the restart has already happened. ``before`` are the
    restarts counted by the lineage's earlier objects. Raises AttemptError.
    """
    most = restarts_left(spec, before=before)
    if most_restarts(pods) > most:
        return fail(status, REACHED_MAX_RESTARTS, _EXCEEDED, now=now)
    seen = attempts(pods)
    if exceeded(status, seen, max_restarts=most):
        return fail(status, REACHED_MAX_RESTARTS, _EXCEEDED, now=now)
    if len(seen) == total_pods(spec.replicated_jobs) and all_equal(seen):
        return Applied(status=replace(status, current_in_place_attempt=seen[0]))
    if max(seen, default=0) == 0:
        return Applied(status=status)
    return Applied(status=replace(status, previous_in_place_attempt=next_previous(status, seen)))


def restarts_left(spec: JobSetSpec, *, before: int) -> int:
    """Return how many of ``maxRestarts`` are left after those counted by the lineage's earlier objects."""
    return max(0, (spec.failure_policy.max_restarts if spec.failure_policy else 0) - before)


def most_restarts(pods: Iterable[PodInPlace]) -> int:
    """Return the most restarts of any container: one that fails too fast never reaches the barrier."""
    return max((count for pod in pods for count in pod.restarts), default=0)


def attempts(pods: Iterable[PodInPlace]) -> list[int]:
    """Return the attempts of pods; failed pods and pods without an attempt are left out.

    Raises AttemptError for an invalid or negative attempt.
    """
    said = [pod.annotations[ATTEMPT] for pod in pods if ATTEMPT in pod.annotations and pod.phase != _POD_FAILED]
    numbers = [whole_number(text) for text in said]
    known = [number for number in numbers if number is not None and number >= 0]
    if len(known) < len(said):
        raise AttemptError(f"invalid value for annotation {ATTEMPT}, must be non-negative integer")
    return known


def exceeded(status: JobSetStatus, seen: Sequence[int], *, max_restarts: int) -> bool:
    """Return whether there are more counted attempts than allowed; restarts that do not count are subtracted."""
    return max(seen, default=0) - (status.restarts - status.restarts_counted) > max_restarts


def total_pods(replicated_jobs: Iterable[ReplicatedJob]) -> int:
    """Return how many pods there should be. Raises AttemptError unless completions equal parallelism in each Job."""
    total = 0
    for replicated in replicated_jobs:
        if replicated.spec.completions is None or replicated.spec.completions != replicated.spec.parallelism:
            detail = "in-place restart requires jobTemplate.spec.completions == jobTemplate.spec.parallelism != nil"
            raise AttemptError(f"{replicated.name}: {detail}")
        total += replicated.replicas * replicated.spec.completions
    return total


def all_equal(seen: Sequence[int]) -> bool:
    """Return whether there are attempts and all are the same."""
    return len(set(seen)) == 1


def next_previous(status: JobSetStatus, seen: Sequence[int]) -> int | None:
    """Return ``previousInPlaceRestartAttempt``: pods up to it must restart. It never decreases."""
    known = status.previous_in_place_attempt
    if not seen:
        return known
    return max(seen) - 1 if known is None else max(known, max(seen) - 1)
