"""Pods that are deferred while the spool takes nothing: kept by uid, fetched again when it does. No I/O."""

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from agent.core.identity.rules import IdentityRules
from agent.kube import objects
from agent.observe.entry import PodEntry
from agent.observe.identity import identify, refer
from agent.telemetry import cluster_metrics as metrics

_SUCCEEDED = "Succeeded"


class Backlog:
    """Uids in the order in which pods were first deferred, and since when.

    A pod that is being fetched stays here until it is reconciled, so that ``seen_through`` does not run ahead of it.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, datetime] = {}
        self._requested: dict[str, datetime] = {}

    def __len__(self) -> int:
        return len(self._waiting) + len(self._requested)

    def add(self, uid: str, *, now: datetime) -> None:
        """There is news of this pod. Repeated news counts once: the pod is reconciled as it is then."""
        if uid not in self._waiting:
            self._waiting[uid] = self._requested.pop(uid, now)
            metrics.BACKLOGGED.inc()

    def discard(self, uid: str) -> None:
        """It was reconciled, or is not tracked."""
        self._waiting.pop(uid, None)
        self._requested.pop(uid, None)

    def take(self) -> Iterator[str]:
        """Every pod that is to be fetched and was not yet, oldest first."""
        for uid, since in tuple(self._waiting.items()):
            # The caller awaits between two uids, and may discard or add meanwhile.
            if self._waiting.pop(uid, None) is not None:
                self._requested[uid] = since
                yield uid

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    def seen_through(self, now: datetime) -> datetime:
        """Up to when all news was reconciled."""
        firsts = (next(iter(those.values()), now) for those in (self._waiting, self._requested))
        return min(firsts)


def deferred_entry(entry: PodEntry | None, pod: objects.Pod, *, identities: IdentityRules) -> PodEntry:
    """The entry of a deferred pod: that it exists, and whether it succeeded.

    A failure is left out, so that the next reconciliation finds it as new; a pod that is gone by then is missing. A
    success is kept, because a succeeded pod that is gone is no failure.
    """
    known = entry or PodEntry(identity=identify(pod, identities), reference=refer(pod))
    return replace(known, phase=_SUCCEEDED) if pod.status.phase == _SUCCEEDED else known
