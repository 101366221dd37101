"""What a reflector counts (reference/performance.md 2c.11)."""

from dataclasses import dataclass


@dataclass(slots=True)
class ReflectorStats:
    """What a reflector did so far.

    ``lists`` are begun, streamed ones too; ``watches`` are requests, so that a streamed list is one of each.
    ``last_heard`` is in seconds of its clock, ``None`` before the first answer; ``sync_seconds`` is what the last whole
    list took, ``None`` before the first.
    """

    lists: int = 0
    watches: int = 0
    gone: int = 0
    errors: int = 0
    forbidden: int = 0
    bad: int = 0
    bookmarks: int = 0
    changes: int = 0
    objects: int = 0
    last_heard: float | None = None
    sync_seconds: float | None = None
