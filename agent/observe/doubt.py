"""Doubt: what must wait while the clock may be wrong, and what a wrong clock left behind. Pure."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from agent.core.failure import HALTS
from agent.observe.entry import PodEntry
from agent.observe.occurrence import Occurred

Doubt = Callable[[], str | None]
"""Why the clock may be wrong; ``None`` if it is right."""

RECHECK: Final = timedelta(seconds=5)
"""After which a pod that was not given up because of a doubt is observed again."""


def postpone_halts(
    entry: PodEntry, occurred: Sequence[Occurred], *, now: datetime, doubt: Doubt
) -> tuple[PodEntry, tuple[Occurred, ...]]:
    """Drop halts while there is a doubt: the pod is given up, if at all, when it is observed again.

    What has occurred in other ways, a failure or a deletion, was seen and does not depend on a clock.
    """
    if not occurred:
        return entry, ()
    certain = tuple(event for event in occurred if event.occurrence not in HALTS)
    if len(certain) == len(occurred) or doubt() is None:
        return entry, tuple(occurred)
    return replace(entry, halted=None, due_at=now + RECHECK), certain


def next_look(times: Iterable[datetime | None], *, now: datetime, doubt: Doubt) -> datetime | None:
    """The first of the times that is still to come; after a doubt, those that have come are looked at again."""
    known = [at for at in times if at is not None]
    coming = [at for at in known if at > now]
    if len(coming) < len(known) and doubt() is not None:
        coming.append(now + RECHECK)
    return min(coming, default=None)


def recount(entry: PodEntry, now: datetime) -> PodEntry:
    """The entry, with everything that lasts counted from now: its times were taken from a clock that may be wrong."""
    problems = tuple([replace(problem, since=now) for problem in entry.start_problems])
    removal = None if entry.removal is None else replace(entry.removal, since=now)
    run = entry.run
    if run is not None and run.started_at is not None:
        run = replace(run, started_at=now)
    return replace(entry, start_problems=problems, removal=removal, run=run)
