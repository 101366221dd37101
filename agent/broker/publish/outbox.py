"""The outbox port: rows with numbers that are never used twice, because the broker drops duplicates by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """One message that waits to be published. ``sequence`` rises from 1 and is never used twice in one spool id.

    ``previous`` is the highest number below it of a message that was sent, or will be; 0 if there is none. Numbers
    between the two have no message. ``None`` in an outbox that does not know it.
    """

    sequence: int
    previous: int | None = None
    key: str
    payload: bytes
    properties: Mapping[str, str] = field(default_factory=dict)
    event_time: datetime | None = None


class OutboxUnavailable(Exception):
    """The outbox cannot be read or changed now; its rows are safe."""


class Outbox(Protocol):
    """A durable queue of rows. Every method is durable when it returns, and called by one thread.

    Methods raise OutboxUnavailable, or sqlite3.OperationalError of a file, if trying again later may help.
    """

    def spool_id(self) -> str:
        """Identifies this numbering; only ``renumber`` changes it."""

    def highest_sent(self) -> int:
        """The highest sequence ever recorded by ``record_sent`` under this spool id; 0 if none was."""

    def record_sent(self, sequence: int) -> None:
        """Remember that rows up to this one are about to be sent."""

    def unacknowledged(self, *, after: int, at_most: int) -> Sequence[OutboxRow]:
        """Rows neither acknowledged nor rejected whose sequence is above ``after``, lowest first."""

    def acknowledge(self, sequences: Sequence[int]) -> None:
        """The broker has stored these; they may be trimmed, but their numbers are never used again."""

    def acknowledge_through(self, sequence: int) -> int:
        """The broker has stored every row up to this one; return how many of them were not acknowledged yet."""

    def reject(self, sequence: int, *, error: str) -> None:
        """No broker accepts this row: keep it aside with the error, out of ``unacknowledged``."""

    def renumber(self, spool_id: str) -> None:
        """In one transaction: take this spool id, renumber unacknowledged rows from 1, reset ``highest_sent``."""
