"""Places in a topic, and how far a subscription has acknowledged it, by the admin API's internal statistics.

A topic is a chain of ledgers, whose entries count from 0; ledgers rise, and some may be empty. Everything up to a
subscription's mark-delete position is acknowledged, and what follows directly after it is not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import pulsar

from agent.broker.port import BrokerError

_RANGE: Final = re.compile(r"\((\d+):(-?\d+)\.\.(\d+):(-?\d+)\]")
_POSITION: Final = re.compile(r"\d+:\d+")
_NO_CURSOR: Final = "-1:-1"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """An entry of a ledger."""

    ledger: int
    entry: int

    @classmethod
    def of(cls, message_id: pulsar.MessageId) -> Self:
        """Our messages are not batched, so that each is an entry."""
        return cls(message_id.ledger_id(), message_id.entry_id())

    @classmethod
    def parse(cls, text: str) -> Self:
        """As ``str`` writes it, and as Pulsar does."""
        ledger, _, entry = text.partition(":")
        return cls(int(ledger), int(entry))

    def __str__(self) -> str:
        return f"{self.ledger}:{self.entry}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PulsarAcknowledged:
    """Fits ``agent.broker.port.Acknowledged``. ``entries`` are those of each ledger that is kept; ``last`` is the last.

    ``apart`` are ranges of acknowledged positions after ``mark``, each without its first.
    """

    mark: Position
    last: Position
    entries: Mapping[int, int]
    apart: tuple[tuple[Position, Position], ...] = ()

    @classmethod
    def read(cls, stats: Mapping[str, Any], subscription: str) -> Self:
        """From the internal statistics of a topic; a subscription that does not exist acknowledged nothing."""
        try:
            cursor = stats["cursors"].get(subscription, {})
            last = Position.parse(stats["lastConfirmedEntry"])
            entries = {int(ledger["ledgerId"]): int(ledger["entries"]) for ledger in stats["ledgers"]}
            apart = _RANGE.findall(cursor.get("individuallyDeletedMessages", ""))
            return cls(
                mark=Position.parse(cursor.get("markDeletePosition", _NO_CURSOR)),
                last=last,
                # The open ledger says 0 until it is closed.
                entries={**entries, last.ledger: last.entry + 1},
                apart=tuple((Position(int(a), int(b)), Position(int(c), int(d))) for a, b, c, d in apart),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BrokerError(f"the internal statistics of a topic cannot be read: {error!r}") from error

    def before(self, position: str) -> bool:
        return _POSITION.fullmatch(position) is not None and self._all_before(Position.parse(position))

    def everything(self) -> bool:
        return self._all_before(Position(self.last.ledger, self.last.entry + 1))

    def has(self, position: Position) -> bool:
        """Whether the message at this position was acknowledged."""
        return position <= self.mark or any(first < position <= last for first, last in self.apart)

    def _all_before(self, end: Position) -> bool:
        """Whether no entry lies between what is marked and ``end``; where a ledger begins, the last one may end."""
        return not any(self._left(ledger, entries, end) for ledger, entries in self.entries.items())

    def _left(self, ledger: int, entries: int, end: Position) -> bool:
        """Whether the ledger has entries after the mark and before ``end``."""
        if not self.mark.ledger <= ledger <= end.ledger:
            return False
        first = self.mark.entry + 1 if ledger == self.mark.ledger else 0
        return first < (end.entry if ledger == end.ledger else entries)


EMPTY: Final = PulsarAcknowledged(mark=Position(-1, -1), last=Position(-1, -1), entries={})
"""Of a topic that does not exist."""
