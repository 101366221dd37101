"""Places in a topic, and how far a subscription has acknowledged it, by the admin API's internal statistics.

A topic is a chain of ledgers, whose entries count from 0; ledgers rise, and some may be empty. Everything up to a
subscription's mark-delete position is acknowledged, and what follows directly after it is not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
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

    def next(self) -> Self:
        """The position behind it in its ledger."""
        return replace(self, entry=self.entry + 1)

    def __str__(self) -> str:
        return f"{self.ledger}:{self.entry}"


BEFORE_ALL: Final = Position(-1, -1)
"""In front of every entry."""


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
        return self._all_before(self.last.next())

    def has(self, position: Position) -> bool:
        """Whether the message at this position was acknowledged."""
        return position <= self.mark or any(first < position <= last for first, last in self.apart)

    def backlog(self) -> int:
        """How many messages are not acknowledged."""
        end = self.last.next()
        apart = (self._between(max(first, self.mark), last.next()) for first, last in self.apart)
        return self._between(self.mark, end) - sum(apart)

    def _all_before(self, end: Position) -> bool:
        """Whether no entry lies between what is marked and ``end``; where a ledger begins, the last one may end."""
        return self._between(self.mark, end) == 0

    def _between(self, after: Position, before: Position) -> int:
        """How many entries lie between two positions."""
        return sum(
            max(0, (before.entry if ledger == before.ledger else entries) - _first(ledger, after))
            for ledger, entries in self.entries.items()
            if after.ledger <= ledger <= before.ledger
        )


def _first(ledger: int, after: Position) -> int:
    """The first entry of a ledger behind a position, which is in it or in one before."""
    return after.entry + 1 if ledger == after.ledger else 0


EMPTY: Final = PulsarAcknowledged(mark=BEFORE_ALL, last=BEFORE_ALL, entries={})
"""Of a topic that does not exist."""
