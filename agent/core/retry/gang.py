"""Gangs: one verdict per generation, on the failure that began it.

When one member fails, the others fail soon after: they time out, or are stopped. A verdict on each would charge one
cause several times, and could retry some members and fail others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.classify.followers import deciding_containers
from agent.core.evidence import ContainerState
from agent.core.exit_status import ending_signal
from agent.core.failure import Failure
from agent.core.retry.target import first_failed
from agent.core.summary.internal import INTERNAL_CATEGORY
from agent.core.units import counted

_SIGTERM = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A failed member of one generation of a gang; ``observed_at`` is when its failure was first seen."""

    run_id: str
    failure: Failure
    occurred_at: datetime
    observed_at: datetime

    @property
    def finished_at(self) -> datetime:
        """When its first failed container ended; if that is not known, the reported time of the failure."""
        first = first_failed(deciding_containers(self.failure))
        finished = None if first is None else first[1].finished_at
        return self.occurred_at if finished is None else finished


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenMember:
    """The member that is judged for its generation, and why."""

    member: Member
    why: str


def settles_at(members: Sequence[Member], *, settle: timedelta) -> datetime:
    """When the generation may be judged: this long after its first failure was seen. There must be a member."""
    return min(member.observed_at for member in members) + settle


def choose_member(members: Sequence[Member], *, settle: timedelta) -> ChosenMember:
    """The first to finish of those seen within ``settle``; in a tie the most specific, then by run id.

    Members that fail later mostly fail because of the first one: they report that their peers are gone.
    """
    until = settles_at(members, settle=settle)
    in_time = [member for member in members if member.observed_at <= until]
    earliest = min(member.finished_at for member in in_time)
    first = [member for member in in_time if member.finished_at == earliest]
    chosen = min(first, key=lambda member: (-specificity(member.failure), member.run_id))
    how = "finished first" if len(first) == 1 else f"has the most specific of {len(first)} failures that came first"
    return ChosenMember(
        member=chosen, why=f"run {chosen.run_id} is judged for {counted(len(members), 'failed member')}: it {how}"
    )


def specificity(failure: Failure) -> int:
    """How specific a failure is about its cause, from 0.

    A matching rule is most specific, more with a subcategory; a container terminated from outside is least specific.
    """
    given = failure.classification
    if given.matched and given.category != INTERNAL_CATEGORY:
        return 5 if given.subcategory else 4
    first = first_failed(deciding_containers(failure))
    if first is not None and (first[1].message or not _torn_down(first[1])):
        return 3 if first[1].message else 2
    return 1 if failure.pod.reason else 0


def _torn_down(state: ContainerState) -> bool:
    return ending_signal(state) == _SIGTERM
