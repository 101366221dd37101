"""Which consumer a key belongs to: keys are hashed to slots, and slots to consumers by rendezvous hashing."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

SLOTS: Final = 256
"""How finely keys are spread. Part of the file's schema: the slot of a message is stored with it."""


def slot_of(key: str) -> int:
    """The slot of a key; the same in every process, unlike ``hash``."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0]


@lru_cache(maxsize=64)
def slots_of(consumer: int, consumers: tuple[int, ...]) -> frozenset[int]:
    """The slots of one of ``consumers``. When one joins or leaves, only the slots it gains or had change owner."""
    return frozenset(slot for slot in range(SLOTS) if _owner(slot, consumers) == consumer)


def _owner(slot: int, consumers: Sequence[int]) -> int | None:
    return max(consumers, key=lambda consumer: (_weight(slot, consumer), consumer), default=None)


def _weight(slot: int, consumer: int) -> bytes:
    return hashlib.blake2b(f"{slot}/{consumer}".encode(), digest_size=8).digest()
