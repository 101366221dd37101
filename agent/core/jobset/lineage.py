"""The restarts that were granted, kept when a JobSet is deleted and created again with its name.

Upstream counts in the object's status. A JobSet that fails, is deleted by ``ttlSecondsAfterFinished`` and is created
again by some controller would get its full ``maxRestarts`` each time, forever.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarts:
    """Counts of granted restarts, by action and the replicated job that caused them.

    ``counted`` are those that counted towards ``maxRestarts``. As with verdicts of runs, the caller keeps rows and
    counts them; this is the result.
    """

    granted: Mapping[tuple[str, str], int] = field(default_factory=dict)
    counted: int = 0

    @property
    def total(self) -> int:
        return sum(self.granted.values())

    def charged(self, action: str | None, replicated_job: str | None) -> int:
        """Return those by an action and because of a replicated job; ``None`` matches any."""
        return sum(
            count
            for (did, whose), count in self.granted.items()
            if action in (None, did) and replicated_job in (None, whose)
        )

    def followed_by(self, action: str, replicated_job: str | None, *, counts: bool, number: int = 1) -> "Restarts":
        """Return these plus one, or plus this number."""
        key = (action, replicated_job or "")
        granted = {**self.granted, key: self.granted.get(key, 0) + number}
        return Restarts(granted=granted, counted=self.counted + counts * number)

    def plus(self, other: "Restarts") -> "Restarts":
        keys = {**self.granted, **other.granted}
        granted = {key: self.granted.get(key, 0) + other.granted.get(key, 0) for key in keys}
        return Restarts(granted=granted, counted=self.counted + other.counted)


NONE = Restarts()


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedJobSet:
    """A JobSet that was deleted. ``by_ttl``: because its TTL after finishing had passed.

    ``restarts`` are those of its lineage: its own and those it inherited.
    """

    namespace: str
    name: str
    uid: str
    failed: bool
    by_ttl: bool
    restarts: Restarts = NONE


def inherited_restarts(before: EndedJobSet | None, *, namespace: str, name: str, uid: str, fresh: bool) -> Restarts:
    """Return the restarts that a new JobSet inherits from the last one that was deleted.

    It inherits them if that one had the same name, failed, and was deleted by its TTL, which indicates a loop. After a
    success, after a deletion by people, or if it asks for a fresh start, it starts from zero.
    """
    if before is None or fresh or (before.namespace, before.name) != (namespace, name) or before.uid == uid:
        return NONE
    return before.restarts if before.failed and before.by_ttl else NONE
