"""Finding: what a check made of a pod (reference/armada-today.md 1.4, 1.5)."""

from dataclasses import dataclass
from datetime import datetime

from agent.core.failure import CheckFinding


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A check asks for something. ``message`` is why, in the words of the event, the container or the check."""

    finding: CheckFinding
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """No check asks for anything yet. ``until`` is when one may, though nothing is heard; ``None`` is never."""

    until: datetime | None = None


Outcome = Found | Waiting
"""What the pending-pod checks make of a pod."""
