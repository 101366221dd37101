"""One limit and its answer."""

from dataclasses import dataclass

from agent.core.retry.outcome import Reason


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit and its answer: ``used`` of ``limit``, allowed while fewer.

    ``counts`` says what is counted, ``source`` where the number is written, ``reason`` the code of a verdict that
    this limit turned.
    """

    counts: str
    used: int
    limit: int
    source: str
    reason: Reason
    allowed: bool
