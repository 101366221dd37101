"""Pods that are not looked at while the spool takes nothing: held by uid, asked for again when it does. No I/O."""

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
    """Uids, in the order in which pods first had news that could not be looked at, and since when.

    A pod that is asked for stays here until it is looked at.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, datetime] = {}
        self._requested: dict[str, datetime] = {}

    def __len__(self) -> int:
        return len(self._waiting) + len(self._requested)

    def add(self, uid: str, *, now: datetime) -> None:
        """There is news of this pod. Many of one pod count as one: it is looked at as it is then."""
        if uid not in self._waiting:
            self._waiting[uid] = self._requested.pop(uid, now)
            metrics.BACKLOGGED.inc()

    def discard(self, uid: str) -> None:
        """It was looked at, or is nothing to us."""
        self._waiting.pop(uid, None)
        self._requested.pop(uid, None)

    def take(self) -> Iterator[str]:
        """Every pod that is to be asked for and was not yet."""
        for uid, since in tuple(self._waiting.items()):
            if self._waiting.pop(uid, None) is not None:
                self._requested[uid] = since
                yield uid

    @property
    def has_waiting(self) -> bool:
        """Whether any pod is to be asked for."""
        return bool(self._waiting)

    def seen_through(self, now: datetime) -> datetime:
        """Up to when all that was heard was looked at."""
        firsts = (next(iter(those.values()), now) for those in (self._waiting, self._requested))
        return min(firsts)


def deferred_entry(entry: PodEntry | None, pod: objects.Pod, *, identities: IdentityRules) -> PodEntry:
    """What to keep of a pod without looking: that it is there, and that nothing is wrong if nobody sees it again.

    Its end is not in it, so that the next look finds it; one that is gone by then is missing.
    """
    known = entry or PodEntry(identity=identify(pod, identities), reference=refer(pod))
    return replace(known, phase=_SUCCEEDED) if pod.status.phase == _SUCCEEDED else known
