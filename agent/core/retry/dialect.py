"""The meaning of a dialect of retry policies, as data, so that the engine never checks which dialect it is."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.limit import Counted


class Spread(StrEnum):
    """Which containers get more memory: all, or the one that ran out."""

    EVERY = "every"
    CULPRIT = "culprit"


class ByPolicies(StrEnum):
    """Whether policies decide a kind of run, or leave it to the legacy formula."""

    DECIDED = "decided"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One dialect. ``name`` is for people.

    ``limit`` is what limits of rules and policies count; ``gangs`` and ``returned`` say whether policies decide gangs
    of two or more, and runs that their cluster returned.
    """

    name: str
    limit: Counted
    gangs: ByPolicies = ByPolicies.DECIDED
    returned: ByPolicies = ByPolicies.DECIDED
    spread: Spread = Spread.CULPRIT


V1 = Dialect(name="armadaproject.io/v1", limit=Counted.RULE)
"""The form of Armada's proposal, armadaproject/armada#4683."""

V1BETA1 = Dialect(
    name="armadaproject.io/v1beta1",
    limit=Counted.UNDISTURBED,
    gangs=ByPolicies.SKIPPED,
    returned=ByPolicies.SKIPPED,
    spread=Spread.EVERY,
)
"""The form that Armada ships (armadaproject/armada internal/scheduler/retry/engine.go at 207cc9e04)."""
