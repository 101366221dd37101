"""Occurrence: what was seen happening to a run. A pure state machine over one pod (design 4.1).

Of each pod at most one end is told and at most one halt, the halt first; a restart in place once for each
dead container. After a restart of the agent the same is told again under the same event ids.
"""

from collections.abc import Sequence
from datetime import datetime
from sys import intern

from msgspec.structs import replace

from agent.core.classify.disruption import TARGETED
from agent.core.evidence import ContainerKind
from agent.core.failure import HALTS, Occurrence
from agent.core.identity.rules import DEFAULT, IdentityRules
from agent.core.value import value
from agent.kube import objects
from agent.observe.checks.finding import Found
from agent.observe.containers import Status, is_new, last_dead, statuses
from agent.observe.deadlines import Deadlines, earliest, later, seconds
from agent.observe.entry import PodEntry, Restart, due, stopping
from agent.observe.identity import identify, is_taken_back, refer
from agent.observe.starting import next_overdue, overdue, troubles
from agent.observe.text import strip
from agent.observe.values import aware

__all__ = ["Deadlines", "Occurred", "PodEntry", "due", "observe", "stopping"]

FAILED = "Failed"
SUCCEEDED = "Succeeded"
FINISHED = frozenset({FAILED, SUCCEEDED})
_CUT_SHORT = frozenset({"Terminated", "Shutdown", "NodeShutdown"})
"""Pod reasons of a graceful node shutdown (kubernetes pkg/kubelet/nodeshutdown)."""
_OOM_KILLED = "OOMKilled"
_ENDING = frozenset({ContainerKind.APP, ContainerKind.INIT})
DEFAULT_GRACE_SECONDS = 30
"""terminationGracePeriodSeconds of a pod that does not say."""


@value(frozen=True, slots=True, kw_only=True)
class Occurred:
    """One occurrence. ``container`` and ``discriminator`` are what the event id takes for a restart in place.

    ``container`` of a never-started pod is the one that cannot start, if it is one; it is not part of its event id.
    ``found`` is what a check from settings found, if one did.
    """

    occurrence: Occurrence
    occurred_at: datetime
    container: str | None = None
    discriminator: str = ""
    found: Found | None = None


_Ends = tuple[datetime | None, datetime | None]


def observe(
    entry: PodEntry | None,
    pod: objects.Pod | None,
    *,
    deleted: bool,
    now: datetime,
    deadlines: Deadlines,
    identities: IdentityRules = DEFAULT,
) -> tuple[PodEntry, tuple[Occurred, ...]]:
    """What to keep of the pod, and what has just happened to it; ``identities`` say whose run a new one is.

    ``entry`` is what was kept last time, ``None`` for a pod not seen before. ``pod`` is ``None`` where a known
    pod is gone and its last state was not seen. ``deleted``: this is the last state it will ever have.
    Raises ValueError where there is neither a pod nor a known one that is gone.
    """
    if pod is None:
        if entry is None or not deleted:
            raise ValueError("nothing to observe: neither a pod nor a known pod that is gone")
        return _lost(entry, now)
    known = entry if entry is not None and entry.reference.uid == strip(pod.metadata.uid or "") else None
    found = statuses(pod)
    restarts = last_dead(found)
    before = known or PodEntry(identity=identify(pod, identities), reference=refer(pod))
    if not before.stopping and is_taken_back(pod, identities):
        before = stopping(before)
    seen = _seen(before, pod, restarts=tuple(restart for restart, _ in restarts), now=now)
    told = [_restarted(restart, ended, now=now) for restart, ended in restarts if is_new(restart, known)]
    ends = _ends(seen, pod, deadlines)
    final = _end(seen, pod, found, deleted=deleted, now=now)
    if final is None and not deleted:
        final = _halt(seen, ends, now=now, deadlines=deadlines)
    if final is not None:
        told.append(final)
    return _concluded(seen, ends, final, deadlines=deadlines), tuple(told)


def _lost(entry: PodEntry, now: datetime) -> tuple[PodEntry, tuple[Occurred, ...]]:
    """A pod that was gone when we looked again: nobody saw how, unless it had finished or we deleted it."""
    gone = replace(entry, due_at=None)
    if entry.ended is not None or entry.stopping or entry.phase in FINISHED:
        return gone, ()
    missing = Occurred(occurrence=Occurrence.MISSING, occurred_at=now)
    return replace(gone, ended=missing.occurrence), (missing,)


def _seen(before: PodEntry, pod: objects.Pod, *, restarts: tuple[Restart, ...], now: datetime) -> PodEntry:
    return replace(
        before,
        reference=before.reference if before.reference.node else refer(pod),
        resource_version=pod.metadata.resourceVersion or "",
        phase=intern(strip(pod.status.phase or "")),
        restarts=restarts,
        troubles=troubles(before, pod, now=now),
    )


def _concluded(seen: PodEntry, ends: _Ends, final: Occurred | None, *, deadlines: Deadlines) -> PodEntry:
    ended, halted = seen.ended, seen.halted
    if final is not None and final.occurrence in HALTS:
        halted = final.occurrence
    elif final is not None:
        ended = final.occurrence
    over = ended is not None or halted is not None or seen.phase in FINISHED
    due_at = None if over else earliest(next_overdue(seen.troubles, deadlines=deadlines), *ends)
    return replace(seen, ended=ended, halted=halted, due_at=due_at)


def _restarted(restart: Restart, ended: objects.Terminated | None, *, now: datetime) -> Occurred:
    return Occurred(
        occurrence=Occurrence.CONTAINER_RESTARTED,
        occurred_at=_not_after(now, ended.finishedAt if ended else None),
        container=restart.container,
        discriminator=restart.dead,
    )


def _end(seen: PodEntry, pod: objects.Pod, found: Sequence[Status], *, deleted: bool, now: datetime) -> Occurred | None:
    if seen.ended is not None:
        return None
    if seen.phase == FAILED or (seen.phase == SUCCEEDED and (_container_failed(found) or _was_cut_short(pod, found))):
        return Occurred(occurrence=Occurrence.POD_FAILED, occurred_at=_not_after(now, _last_finish(found)))
    if deleted and seen.phase not in FINISHED and not seen.stopping:
        at = _not_after(now, pod.metadata.deletionTimestamp)
        return Occurred(occurrence=Occurrence.DELETED_EXTERNALLY, occurred_at=at)
    return None


def _halt(seen: PodEntry, ends: _Ends, *, now: datetime, deadlines: Deadlines) -> Occurred | None:
    if seen.ended is not None or seen.halted is not None or seen.phase in FINISHED:
        return None
    if (trouble := overdue(seen.troubles, now=now, deadlines=deadlines)) is not None:
        return Occurred(occurrence=Occurrence.NEVER_STARTED, occurred_at=now, container=trouble.container or None)
    deadline, torn_down = ends
    if deadline is not None and now >= deadline:
        return Occurred(occurrence=Occurrence.DEADLINE_EXCEEDED, occurred_at=now)
    if torn_down is not None and now >= torn_down:
        return Occurred(occurrence=Occurrence.STUCK_TERMINATING, occurred_at=now)
    return None


def _ends(seen: PodEntry, pod: objects.Pod, deadlines: Deadlines) -> _Ends:
    """When the kubelet must have ended the pod by its deadline, and when it must have torn it down."""
    return _deadline(pod, deadlines), None if seen.stopping else _torn_down(pod, deadlines)


def _torn_down(pod: objects.Pod, deadlines: Deadlines) -> datetime | None:
    """The time of deletion is that of the request and the grace period; the kubelet has a margin beyond."""
    deleted = aware(pod.metadata.deletionTimestamp)
    return None if deleted is None else later(deleted, deadlines.terminating_margin)


def _deadline(pod: objects.Pod, deadlines: Deadlines) -> datetime | None:
    """When the kubelet must have ended the pod: it is told, gives grace, and has a margin (armada-today 1.5)."""
    started, active = aware(pod.status.startTime), pod.spec.activeDeadlineSeconds
    if started is None or active is None or pod.metadata.deletionTimestamp is not None:
        return None
    given = pod.spec.terminationGracePeriodSeconds
    allowed = seconds(active + (DEFAULT_GRACE_SECONDS if given is None else given))
    end = later(started, allowed)
    return None if end is None else later(end, deadlines.active_margin)


def _container_failed(found: Sequence[Status]) -> bool:
    """Whether an app or init container ended with a code other than 0, or with 0 after a child was killed for memory.

    Sidecars are killed when all is done.
    """
    ended = (status.state.terminated for kind, status in found if kind in _ENDING and status.state)
    return any(each is not None and (bool(each.exitCode) or each.reason == _OOM_KILLED) for each in ended)


def _was_cut_short(pod: objects.Pod, found: Sequence[Status]) -> bool:
    """Whether the pod was told to end before its work was done, and ended with code 0 for that."""
    if pod.status.reason in _CUT_SHORT:
        return True
    finished = _last_finish(found)
    return any(
        each.type in TARGETED
        and each.status == "True"
        and (finished is None or (at := aware(each.lastTransitionTime)) is None or at <= finished)
        for each in pod.status.conditions or ()
    )


def _last_finish(found: Sequence[Status]) -> datetime | None:
    ended = [status.state.terminated for _, status in found if status.state and status.state.terminated]
    return max([at for each in ended if (at := aware(each.finishedAt))], default=None)


def _not_after(now: datetime, at: datetime | None) -> datetime:
    """The time the evidence gives, else now; a node's clock that is ahead does not count."""
    given = aware(at)
    return now if given is None else min(given, now)
