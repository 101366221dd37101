"""Limits with their descriptions: each allows or forbids one more retry."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from agent.core.history import History
from agent.core.limit import Charge, Counted, Limit, Reason, Unit
from agent.core.retry.effective import Budget
from agent.core.retry.policy import GiveUp, Window
from agent.core.units import in_words

CAP = "globalMaxRetries"
"""The setting with the cap on all retries of a lineage."""

_UNDISTURBED = "retries granted after runs neither preempted nor returned"
_SECOND = timedelta(seconds=1)


class Course(NamedTuple):
    """How the job has run so far, this run included.

    ``began_at`` is when its first run began, ``None`` if that is not known; ``ran`` how long its runs lasted together.
    ``undisturbed`` says that this run was neither preempted nor returned by its cluster.
    """

    now: datetime | None = None
    began_at: datetime | None = None
    ran: timedelta = timedelta(0)
    undisturbed: bool = True


NOT_KNOWN = Course()


def limit_of_retries(most: int, source: str, reason: Reason, *, counts: Counted, key: str, history: History) -> Limit:
    """A limit of a rule or policy on retries; ``key`` is that of the rule that decided."""
    return _limit(counts, key, history.counted(counts, key), most, source, reason)


def limit_of_lineage(cap: int, history: History) -> Limit:
    """The cap on all retries of a lineage, whoever granted them."""
    return Limit("all retries granted", history.retries, cap, CAP, Reason.GLOBAL_LIMIT, history.retries < cap)


def limit_of_budget(charge: Charge, budget: Budget, history: History) -> Limit:
    """The limit on retries charged to one class of failures."""
    used = history.charged.get(charge, 0)
    source = f"budget {charge} of policy {budget.policy}"
    return Limit(f"retries charged to {charge}", used, budget.limit, source, Reason.BUDGET, used < budget.limit)


def limit_of_time(give_up: GiveUp, whose: str, course: Course) -> Limit:
    """``giveUpAfter`` of a rule or policy; a beginning that is not known forbids nothing."""
    spent = _spent(give_up, course)
    waiting = "" if give_up.waiting else ", waiting not counted"
    counts = f"time since the first run began{waiting}" if spent is not None else "time since the first run (not known)"
    source = f"giveUpAfter of {whose}"
    most = give_up.after // _SECOND
    allowed = spent is None or spent < give_up.after
    return Limit(counts, (spent or timedelta(0)) // _SECOND, most, source, Reason.GIVE_UP, allowed, Unit.SECONDS)


def limit_of_window(window: Window, whose: str, times: Iterable[datetime], course: Course) -> Limit:
    """``window`` of a rule or policy; ``times`` are when the retries that it counts were granted."""
    since = None if course.now is None else course.now - window.per
    used = sum(since is None or at > since for at in times)
    counts = f"retries granted within {in_words(window.per.total_seconds())}"
    return Limit(counts, used, window.retries, f"window of {whose}", Reason.WINDOW, used < window.retries)


def _spent(give_up: GiveUp, course: Course) -> timedelta | None:
    if not give_up.waiting:
        return course.ran
    return None if course.began_at is None or course.now is None else course.now - course.began_at


@lru_cache(maxsize=8192)
def _limit(counts: Counted, key: str, used: int, most: int, source: str, reason: Reason) -> Limit:
    """Cached, because there are few rules and numbers are low."""
    words = f"retries granted under {key}" if counts is Counted.RULE else _UNDISTURBED
    return Limit(words, used, most, source, reason, used < most)
