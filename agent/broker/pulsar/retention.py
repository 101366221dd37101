"""What a topic retains: how many messages, since when, and how many of them a subscription has not acknowledged."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from agent.broker.port import BrokerError, Retained
from agent.broker.pulsar.positions import BEFORE_ALL, Position, PulsarAcknowledged

NOTHING: Final = Retained(messages=0, oldest=None, subscribed=False, backlog=0, oldest_in_backlog=None)
"""Of a topic that does not exist."""


def retained(
    stats: Mapping[str, Any] | None, subscription: str, *, first_behind: Callable[[Position], datetime | None]
) -> Retained:
    """By the internal statistics of a topic; ``None`` if the admin API, which has them, is not known.

    ``first_behind`` reads when the first message behind a position was published.
    """
    oldest = first_behind(BEFORE_ALL)
    if stats is None:
        return Retained(messages=None, oldest=oldest, subscribed=None, backlog=None, oldest_in_backlog=None)
    known, messages = PulsarAcknowledged.read(stats, subscription), _entries(stats)
    if subscription not in stats["cursors"]:
        return Retained(messages=messages, oldest=oldest, subscribed=False, backlog=messages, oldest_in_backlog=oldest)
    backlog = known.backlog()
    return Retained(
        messages=messages,
        oldest=oldest,
        subscribed=True,
        backlog=backlog,
        oldest_in_backlog=first_behind(known.mark) if backlog else None,
    )


def _entries(stats: Mapping[str, Any]) -> int:
    try:
        return int(stats["numberOfEntries"])
    except (KeyError, TypeError, ValueError) as error:
        raise BrokerError(f"the internal statistics of a topic cannot be read: {error!r}") from error
