"""Which numbers of which spools a batch of messages has. Pure."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from agent.broker.port import Delivery
from agent.broker.publish.in_flight import PREVIOUS, SEQUENCE, SPOOL_ID
from agent.broker.topics import original_topic
from agent.store.ranges import joined
from agent.store.sequences import ConsumedRange

_SPOOL_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")
NUMBER: Final = re.compile(r"[0-9]{1,18}")
"""Properties are text from outside: only what fits its column is taken."""

_Numbered = tuple[int, int, str]
"""The number before a message's, its own, and its position; empty if it was sent again to another topic."""


def numbers_of(deliveries: Iterable[Delivery], *, subscription: str, at: datetime) -> list[ConsumedRange]:
    """The numbers of each topic and spool, consumed ``at``; nothing of messages without the one before them."""
    found: dict[tuple[str, str], list[_Numbered]] = {}
    for delivery in deliveries:
        topic = original_topic(delivery.topic, subscription)
        numbered = _numbered(delivery, position=delivery.position if delivery.topic == topic else "")
        if numbered is not None:
            found.setdefault((topic, delivery.message.properties[SPOOL_ID]), []).append(numbered)
    return [_range(topic, spool_id, several, at=at) for (topic, spool_id), several in found.items()]


def _numbered(delivery: Delivery, *, position: str) -> _Numbered | None:
    properties = delivery.message.properties
    spool_id, *numbers = (properties.get(name, "") for name in (SPOOL_ID, PREVIOUS, SEQUENCE))
    if not _SPOOL_ID.fullmatch(spool_id) or not all(map(NUMBER.fullmatch, numbers)):
        return None
    previous, sequence = map(int, numbers)
    return (previous, sequence, position) if previous < sequence else None


def _range(topic: str, spool_id: str, several: Sequence[_Numbered], *, at: datetime) -> ConsumedRange:
    *_, position = max(several, key=lambda numbered: numbered[1])
    ranges = joined((previous, sequence) for previous, sequence, _ in several)
    return ConsumedRange(topic=topic, spool_id=spool_id, ranges=ranges, position=position, at=at)
