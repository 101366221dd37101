"""Pods that are deferred while the spool takes nothing: kept by uid, fetched again when it does. No I/O."""

from collections.abc import Collection, Iterator
from datetime import datetime

from msgspec.structs import replace

from agent.core.identity.rules import IdentityRules
from agent.kube import objects
from agent.observe.entry import PodEntry
from agent.observe.identity import identify, refer
from agent.telemetry import cluster_metrics as metrics

_SUCCEEDED = "Succeeded"


class Backlog:
    """Since when each pod is deferred, by uid, in the order in which they first were.

    A pod that is being fetched stays here until it is reconciled, so that ``seen_through`` does not run ahead of it.
    """

    def __init__(self) -> None:
        self._since: dict[str, datetime] = {}
        self._requested: set[str] = set()
        self.uids: Collection[str] = self._since.keys()

    def __len__(self) -> int:
        return len(self._since)

    def add(self, uid: str, *, now: datetime) -> None:
        """There is news of this pod. Repeated news counts once: the pod is reconciled as it is then."""
        if uid not in self._since or uid in self._requested:
            self._since.setdefault(uid, now)
            self._requested.discard(uid)
            metrics.BACKLOGGED.inc()

    def discard(self, uid: str) -> None:
        """It was reconciled, or is not tracked."""
        self._since.pop(uid, None)
        self._requested.discard(uid)

    def take(self) -> Iterator[str]:
        """Every pod that is to be fetched and was not yet, oldest first."""
        for uid in tuple(self._since):
            # The caller awaits between two uids, and may discard or add meanwhile.
            if uid in self._since and uid not in self._requested:
                self._requested.add(uid)
                yield uid

    @property
    def has_waiting(self) -> bool:
        return len(self._requested) < len(self._since)

    def seen_through(self, now: datetime) -> datetime:
        """Up to when all news was reconciled."""
        return next(iter(self._since.values()), now)


def deferred_entry(entry: PodEntry | None, pod: objects.Pod, *, identities: IdentityRules) -> PodEntry:
    """The entry of a deferred pod: that it exists, and whether it succeeded.

    A failure is left out, so that the next reconciliation finds it as new; a pod that is gone by then is missing. A
    success is kept, because a succeeded pod that is gone is no failure.
    """
    known = entry or PodEntry(identity=identify(pod, identities), reference=refer(pod))
    return replace(known, phase=_SUCCEEDED) if pod.status.phase == _SUCCEEDED else known
