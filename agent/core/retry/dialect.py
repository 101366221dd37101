"""What a dialect of retry policies means, as data: the engine never asks which dialect it was (design 6)."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.limit import Counted


class Spread(StrEnum):
    """Whose memory a mutation raises: every container's, or that of the container that ran out."""

    EVERY = "every"
    CULPRIT = "culprit"


class ByPolicies(StrEnum):
    """Whether policies decide a kind of run, or leave it to the legacy formula."""

    DECIDED = "decided"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One dialect. ``name`` is for people.

    ``limit`` is what the limits of rules and policies count, ``cap`` what ``globalMaxRetries`` counts; ``gangs`` and
    ``returned`` whether policies decide gangs of two or more and runs that their cluster returned.
    """

    name: str
    limit: Counted
    cap: Counted
    gangs: ByPolicies = ByPolicies.DECIDED
    returned: ByPolicies = ByPolicies.DECIDED
    spread: Spread = Spread.CULPRIT


V1 = Dialect(name="armadaproject.io/v1", limit=Counted.RULE, cap=Counted.ALL)
"""The seed's."""

V1BETA1 = Dialect(
    name="armadaproject.io/v1beta1",
    limit=Counted.UNDISTURBED,
    cap=Counted.UNDISTURBED,
    gangs=ByPolicies.SKIPPED,
    returned=ByPolicies.SKIPPED,
    spread=Spread.EVERY,
)
"""Armada's, as shipped (reference/armada-today.md 3)."""
