"""The delay before a retry: for each field the most specific of three levels wins.

Source: armadaproject/armada#4683, "Backoff".
"""

import math
from datetime import timedelta
from functools import lru_cache

from msgspec.structs import replace

from agent.core.failure import ENDS
from agent.core.retry.delay import LONGEST, Delay
from agent.core.retry.facts import Facts
from agent.core.retry.policy import BackoffPolicy
from agent.core.run import RunFacts

_LONGEST_SECONDS = LONGEST.total_seconds()


def not_counted(reset_after: timedelta | None, *, used: int, known: int, lasted: timedelta | None) -> tuple[int, bool]:
    """How many of the retries that a rule has ``used`` no longer count for the delay, and whether this run reset it.

    After a run that ``lasted`` for ``reset_after`` none of them counts, so that the next delay is the first. Otherwise
    it is those that did not count at the last verdict, ``known``. For limits all of them count.
    """
    reset = reset_after is not None and lasted is not None and lasted >= reset_after and used > 0
    return (used if reset else min(known, used)), reset


def delay(
    backoff: BackoffPolicy, *, number: int, grace: timedelta | None, draw: float = 0.0, reset: bool = False
) -> Delay:
    """The delay before retry ``number`` of its rule, from 1; at least ``grace`` if it is given.

    A missing initial delay is 0, a missing multiplier 1, a missing maximum LONGEST. ``draw``, from 0 to 1, is the
    random number for jitter.
    """
    plain = _plain(backoff.initial, backoff.maximum, backoff.multiplier, number)
    jitter = backoff.jitter or 0.0
    if grace is None and not jitter and not reset:
        return plain
    taken_off = plain.backoff_seconds * jitter * draw
    grace_seconds = None if grace is None else grace.total_seconds()
    return replace(
        plain,
        jitter=jitter,
        jitter_seconds=taken_off,
        reset=reset,
        grace_seconds=grace_seconds,
        seconds=max(plain.backoff_seconds - taken_off, grace_seconds or 0.0),
    )


def grace_of(facts: Facts, run: RunFacts) -> tuple[timedelta | None, tuple[str, ...]]:
    """After a preemption, wait until the run has ended or its grace period is over.

    Source: armadaproject/armada#4683, "Graceful Shutdown on Retry".
    """
    if not facts.preempted:
        return None, ()
    if facts.failure.occurrence in ENDS:
        return None, ("preempted: the run has ended, so there is no wait for its grace period",)
    return run.grace_period, ("preempted: the run may still be alive, so the delay includes its grace period",)


@lru_cache(maxsize=4096)
def _plain(first: timedelta | None, most: timedelta | None, factor: float | None, number: int) -> Delay:
    """The delay by the proposal's formula alone; cached, because there are few policies and numbers are low."""
    initial = 0.0 if first is None else first.total_seconds()
    multiplier = 1.0 if factor is None else factor
    maximum = _LONGEST_SECONDS if most is None else min(most.total_seconds(), _LONGEST_SECONDS)
    grown = _grown(initial, multiplier, number - 1)
    bounded = maximum if grown is None else min(grown, maximum)
    return Delay(
        number=number,
        initial_seconds=initial,
        multiplier=multiplier,
        maximum_seconds=maximum,
        grown_seconds=grown,
        backoff_seconds=bounded,
        seconds=bounded,
    )


def _grown(initial: float, multiplier: float, exponent: int) -> float | None:
    if initial == 0:  # before the power, which may overflow
        return 0.0
    try:
        grown = initial * multiplier**exponent
    except OverflowError:
        return None
    return grown if math.isfinite(grown) else None
