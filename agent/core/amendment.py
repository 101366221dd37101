"""Amendment: when late evidence about a failure is worth telling (design 4.6)."""

from datetime import timedelta

from agent.core.failure import Classification

WITHIN = timedelta(seconds=30)
"""How long after it was told a failure may be amended, once."""


def is_worth_telling(now: Classification, *, told: Classification) -> bool:
    """Whether a rule gives the failure another category than was told."""
    return now.matched and (now.category, now.subcategory) != (told.category, told.subcategory)
