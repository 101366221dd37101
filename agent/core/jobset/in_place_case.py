"""Applies our limits to restarts in place, and remembers them. They have already happened when they are seen.

Upstream counts them only in the pods, so they would be forgotten with the object (``agent.core.jobset.lineage``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agent.core.jobset.apply import Applied, fail
from agent.core.jobset.decide import why_forbidden
from agent.core.jobset.in_place import PodInPlace, attempts, most_restarts, restart_in_place, restarts_left
from agent.core.jobset.limits import MAX_RESTARTS, ParentLimit, ask, ask_operator
from agent.core.jobset.lineage import Restarts
from agent.core.jobset.manifest import NOTHING, JobSet, JobSetMemory
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import IN_PLACE


@dataclass(frozen=True, slots=True, kw_only=True)
class InPlaceCase:
    """The pods of a JobSet that restarts in place; ``stopped`` and ``others`` are as in ``ParentCase``."""

    jobset: JobSet
    status: JobSetStatus
    memory: JobSetMemory = NOTHING
    pods: Sequence[PodInPlace] = ()
    stopped: bool = False
    others: Mapping[str, tuple[ParentLimit, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class InPlaceJudged:
    """The status after a step, its events, and the restarts granted to this object so far."""

    applied: Applied
    own: Restarts


def judge_in_place(case: InPlaceCase, *, now: datetime) -> InPlaceJudged:
    """Take one step. Without our options and a lineage it equals JobSet. Raises AttemptError.

    New restarts are checked against limits; the replicated job that caused them is not known, so budgets per replicated
    job are not checked. Granted restarts are remembered, and count towards ``maxRestarts`` of the lineage.
    """
    own, before = case.memory.own, case.memory.before.counted
    applied = restart_in_place(case.jobset.spec, case.status, case.pods, now=now, before=before)
    known = own.charged(IN_PLACE, None)
    happened = _happened(case, most=restarts_left(case.jobset.spec, before=before))
    if happened <= known:
        return InPlaceJudged(applied=applied, own=own)
    new = happened - known
    remaining = [(limit, _remaining(limit)) for limit in _limits(case)]
    forbidding = next((limit for limit, left in remaining if left is not None and left < new), None)
    if forbidding is not None and applied.status.finished is None:
        applied = fail(case.status, *why_forbidden(forbidding), now=now)
    granted = min([new, *(left for _, left in remaining if left is not None)])
    return InPlaceJudged(applied=applied, own=own.followed_by(IN_PLACE, None, counts=True, number=granted))


def _happened(case: InPlaceCase, *, most: int) -> int:
    """How often pods have restarted in place, at most; like upstream, containers are checked first.

    Attempts also count restarts of the whole JobSet; those are subtracted.
    """
    of_containers = most_restarts(case.pods)
    if of_containers >= most:
        return most
    return min(most, max(of_containers, max(attempts(case.pods), default=0) - case.status.restarts))


def _limits(case: InPlaceCase) -> Iterator[ParentLimit]:
    """All limits but ``maxRestarts``, which was checked as upstream does; those of every Job, because all run again."""
    own = ask(case.jobset, case.status, case.memory, action=IN_PLACE, replicated_job=None)
    yield from (limit for limit in own if limit.name != MAX_RESTARTS)
    yield ask_operator(stopped=case.stopped)
    for limits in case.others.values():
        yield from limits


def _remaining(limit: ParentLimit) -> int | None:
    """How many more restarts a limit allows; ``None`` is any number."""
    if limit.exempt:
        return None
    if limit.said:
        return None if limit.allowed else 0
    return max(0, limit.limit - limit.used)
