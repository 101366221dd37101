"""The names of kinds on the command line. ``--help`` loads it, so it imports nothing."""

from collections.abc import Sequence
from typing import Final

OTHERS: Final = {
    "retrypolicy": ("retrypolicies", "retry-policy", "retry-policies", "rp"),
    "queue": ("queues", "q"),
    "error-rule": ("error-rules", "errorrule", "errorrules", "er"),
}
"""The kinds as commands name them, each with its other names, the shortest last."""


def meant(typed: str) -> str:
    """The first name of a kind; text that names no kind is returned as it is."""
    return next((kind for kind, others in OTHERS.items() if typed in others), typed)


def beginning(typed: str) -> Sequence[str]:
    """The kinds that begin like this, for completion."""
    return [kind for kind in OTHERS if kind.startswith(typed)]
