"""What the publisher needs of a spool: rows with numbers that are never used twice (reference/pulsar.md 3.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """One message that waits to be published. ``sequence`` rises from 1 and is never used twice in one spool id."""

    sequence: int
    key: str
    payload: bytes
    properties: Mapping[str, str] = field(default_factory=dict)
    event_time: datetime | None = None


class Outbox(Protocol):
    """What the publisher needs of a spool. Every method is durable when it returns, and called by one thread."""

    def spool_id(self) -> str:
        """Names this numbering; a new one is given by ``renumber`` only."""

    def highest_sent(self) -> int:
        """The highest sequence ever recorded by ``record_sent`` under this spool id; 0 where none was."""

    def record_sent(self, sequence: int) -> None:
        """Remember, before it happens, that rows up to this one are handed to the broker."""

    def unacknowledged(self, *, after: int, at_most: int) -> Sequence[OutboxRow]:
        """Rows neither acknowledged nor rejected whose sequence is above ``after``, lowest first."""

    def acknowledge(self, sequences: Sequence[int]) -> None:
        """The broker has stored these; they may be trimmed, their numbers never used again."""

    def acknowledge_through(self, sequence: int) -> int:
        """The broker has stored every row up to this one; gives how many of them were not acknowledged yet."""

    def reject(self, sequence: int, *, error: str) -> None:
        """The broker never takes this one: keep it aside with the error, out of ``unacknowledged``."""

    def renumber(self, spool_id: str) -> None:
        """In one transaction: take this spool id, number unacknowledged rows from 1 in their order, forget sent."""
