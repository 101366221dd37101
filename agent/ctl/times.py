"""Times in pasted objects: what ``kubectl describe`` and people write there is not always a time."""

from collections.abc import Mapping
from datetime import datetime

_SUFFIXES = ("At", "Time", "Timestamp", "timeAdded")


def without_unreadable_times(value: object) -> tuple[object, int]:
    """The same object without the times that are not RFC 3339, and how many those were."""
    if isinstance(value, Mapping):
        kept: dict[object, object] = {}
        lost = 0
        for key, member in value.items():
            if isinstance(key, str) and key.endswith(_SUFFIXES) and _is_no_time(member):
                lost += 1
                continue
            kept[key], more = without_unreadable_times(member)
            lost += more
        return kept, lost
    if isinstance(value, list):
        pairs = [without_unreadable_times(member) for member in value]
        return [member for member, _ in pairs], sum(more for _, more in pairs)
    return value, 0


def _is_no_time(member: object) -> bool:
    if not isinstance(member, str):
        return False
    try:
        return datetime.fromisoformat(member).tzinfo is None
    except ValueError:
        return True
