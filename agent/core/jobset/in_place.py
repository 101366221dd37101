"""Restarts in place: pods stay, an agent in each starts its containers anew behind a barrier (B6, alpha)."""

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
    """An attempt, or the shape of a Job, from which restarts in place cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodInPlace:
    """A pod as restarts in place see it; ``restarts`` are those of its containers, init containers among them."""

    phase: str = ""
    annotations: Mapping[str, str] = field(default_factory=dict)
    restarts: tuple[int, ...] = ()


def restart_in_place(
    spec: JobSetSpec, status: JobSetStatus, pods: Sequence[PodInPlace], *, now: datetime, before: int = 0
) -> Applied:
    """Go one step: fail after too many, lift the barrier when all pods are in one attempt, else have the rest restart.

    ``maxRestarts`` may be reached here, not passed: the restart has happened when it is seen. ``before`` are the
    restarts that the lineage's earlier objects had counted. Raises AttemptError.
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
    """Return how many of ``maxRestarts`` the lineage's earlier objects, which had counted so many, have left."""
    return max(0, (spec.failure_policy.max_restarts if spec.failure_policy else 0) - before)


def most_restarts(pods: Iterable[PodInPlace]) -> int:
    """Return the most restarts of any container: one that fails too fast never reaches the barrier."""
    return max((count for pod in pods for count in pod.restarts), default=0)


def attempts(pods: Iterable[PodInPlace]) -> list[int]:
    """Return the attempts that pods are in; failed pods and those that do not say are left out.

    Raises AttemptError for an attempt that is no number, or below 0.
    """
    said = [pod.annotations[ATTEMPT] for pod in pods if ATTEMPT in pod.annotations and pod.phase != _POD_FAILED]
    numbers = [whole_number(text) for text in said]
    known = [number for number in numbers if number is not None and number >= 0]
    if len(known) < len(said):
        raise AttemptError(f"invalid value for annotation {ATTEMPT}, must be non-negative integer")
    return known


def exceeded(status: JobSetStatus, seen: Sequence[int], *, max_restarts: int) -> bool:
    """Return whether the attempts that count are more than are allowed; restarts that do not count are taken off."""
    return max(seen, default=0) - (status.restarts - status.restarts_counted) > max_restarts


def total_pods(replicated_jobs: Iterable[ReplicatedJob]) -> int:
    """Return how many pods there are to be. Raises AttemptError unless completions equal parallelism in each."""
    total = 0
    for one in replicated_jobs:
        if one.spec.completions is None or one.spec.completions != one.spec.parallelism:
            detail = "in-place restart requires jobTemplate.spec.completions == jobTemplate.spec.parallelism != nil"
            raise AttemptError(f"{one.name}: {detail}")
        total += one.replicas * one.spec.completions
    return total


def all_equal(seen: Sequence[int]) -> bool:
    """Return whether there are attempts and all are the same."""
    return len(set(seen)) == 1


def next_previous(status: JobSetStatus, seen: Sequence[int]) -> int | None:
    """Return ``previousInPlaceRestartAttempt``: pods up to it are to restart. It never falls."""
    known = status.previous_in_place_attempt
    if not seen:
        return known
    return max(seen) - 1 if known is None else max(known, max(seen) - 1)
