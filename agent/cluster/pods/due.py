"""When pods are due. There may be a hundred thousand, and most have one deadline, hours ahead. No I/O."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from agent.cluster.delay_queue import DelayQueue

_SLOT: Final = timedelta(minutes=10)
_AT_ONCE: Final = 1000
"""Pods of slots that begin, looked at in one go: 4 ms."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class DueQueue:
    """One time for each pod, by uid.

    A pod that is due in the slot of ten minutes that has begun is in a delay queue. One that is due later is in a set
    for its slot, without its time, which takes a third of the memory. When its slot begins, ``due_at`` gives the time;
    ``None``: it is not due any more.
    """

    def __init__(self, due_at: Callable[[str], datetime | None]) -> None:
        self._due_at = due_at
        self._begun = 0
        self._soon: DelayQueue[str] = DelayQueue()
        self._later: dict[int, set[str]] = {}
        self._begins: DelayQueue[int] = DelayQueue()

    def move(self, uid: str, *, before: datetime | None, to: datetime | None) -> None:
        """The pod is due then, not when it was due ``before``; ``None`` is never."""
        if before is not None:
            self._discard(uid, _slot_of(before))
        self._put(uid, to)

    def take(self, now: datetime) -> list[str]:
        """Remove and return the pods that are due, earliest first.

        Of slots that begin, a thousand pods are looked at; ``next`` says at once that there are more.
        """
        self._begun = max(self._begun, _slot_of(now))
        left = _AT_ONCE
        for slot in self._begins.take(now):
            left -= self._begin(slot, at_most=left)
        return self._soon.take(now)

    def next(self) -> datetime | None:
        """When to call ``take``: the first pod is due, or a slot begins."""
        times = [at for at in (self._soon.next(), self._begins.next()) if at is not None]
        return min(times, default=None)

    def _begin(self, slot: int, *, at_most: int) -> int:
        """Put pods of the slot into the delay queue. Returns how many."""
        waiting = self._later[slot]
        taken = [waiting.pop() for _ in range(min(at_most, len(waiting)))]
        for uid in taken:
            self._put(uid, self._due_at(uid))
        if waiting:
            self._begins.set(slot, _begin_of(slot))
        else:
            del self._later[slot]
        return len(taken)

    def _put(self, uid: str, when: datetime | None) -> None:
        if when is None or (slot := _slot_of(when)) <= self._begun:
            self._soon.set(uid, when)
            return
        self._soon.set(uid, None)
        if slot not in self._later:
            self._later[slot] = set()
            self._begins.set(slot, _begin_of(slot))
        self._later[slot].add(uid)

    def _discard(self, uid: str, slot: int) -> None:
        waiting = self._later.get(slot)
        if waiting is None:
            return
        waiting.discard(uid)
        if not waiting:
            del self._later[slot]
            self._begins.set(slot, None)


def _slot_of(when: datetime) -> int:
    return (when - _EPOCH) // _SLOT


def _begin_of(slot: int) -> datetime:
    return _EPOCH + slot * _SLOT
