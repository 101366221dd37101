"""Occurrences: what happened to a run. A pure state machine over one pod; docs/occurrences.md has its table.

For each pod at most one halt and at most one end is reported, the halt first, and one restart in place per
terminated container instance. After a restart of the agent the same is reported again, under the same event ids.
"""

from collections.abc import Sequence
from datetime import datetime
from sys import intern

from msgspec import Struct
from msgspec.structs import replace

from agent.core.failure import Occurrence
from agent.core.identity.rules import DEFAULT, IdentityRules
from agent.kube import objects
from agent.observe.checks.finding import Found
from agent.observe.containers import Status, is_new, last_terminated, statuses
from agent.observe.deadlines import Deadlines, earliest, later, seconds
from agent.observe.entry import PodEntry, Restart, due, mark_stopping
from agent.observe.identity import identify, is_deleted_by_creator, refer
from agent.observe.node_clock import by_server
from agent.observe.run_pod import follows_from_stop, is_deleted_by_us, is_of_run, progress, was_cut_short
from agent.observe.starting import next_overdue, overdue, start_problems
from agent.observe.success import FINISHED, has_failed, last_finish
from agent.observe.text import strip
from agent.observe.values import aware

__all__ = ["Deadlines", "Occurred", "PodEntry", "due", "mark_stopping", "observe"]

DEFAULT_GRACE_SECONDS = 30
"""terminationGracePeriodSeconds of a pod that does not set it."""


class Occurred(Struct, frozen=True, gc=False, kw_only=True):
    """One occurrence. For a restart in place, ``container`` and ``discriminator`` are part of the event id.

    For ``never-started``, ``container`` is the one that cannot start, if known; it is not part of the event id.
    ``found`` is what a check from settings found, if one did.
    """

    occurrence: Occurrence
    occurred_at: datetime
    container: str | None = None
    discriminator: str = ""
    found: Found | None = None


_KubeletOverdue = tuple[datetime | None, datetime | None]


def observe(
    entry: PodEntry | None,
    pod: objects.Pod | None,
    *,
    deleted: bool,
    now: datetime,
    deadlines: Deadlines,
    identities: IdentityRules = DEFAULT,
) -> tuple[PodEntry, tuple[Occurred, ...]]:
    """The new entry of the pod, and what has just happened to it; ``identities`` give the run of a new pod.

    ``entry`` is the previous one, ``None`` for a pod not seen before. ``pod`` is ``None`` if a known pod is gone and
    its last state was not seen. ``deleted``: this is its last state. Raises ValueError if there is neither a pod nor a
    known one that is gone.
    """
    if pod is None:
        if entry is None or not deleted:
            raise ValueError("nothing to observe: neither a pod nor a known pod that is gone")
        return _observe_missing(entry, now)
    # A pod recreated under the same name starts with a clean entry.
    known = entry if entry is not None and entry.reference.uid == strip(pod.metadata.uid or "") else None
    found = statuses(pod)
    restarts = last_terminated(found)
    before = known or PodEntry(identity=identify(pod, identities), reference=refer(pod))
    if not before.stopping and _is_to_end(before, pod, identities):
        before = mark_stopping(before)
    seen = _updated(before, pod, restarts=tuple([restart for restart, _ in restarts]), now=now)
    restarted = [_restarted(restart, ended, now=now) for restart, ended in restarts if is_new(restart, known)]
    end = _end(seen, pod, found, deleted=deleted, now=now)
    if end is not None:
        return replace(seen, ended=end.occurrence, due_at=None), (*restarted, end)
    overdue_at = _kubelet_overdue(seen, pod, deadlines)
    halt = None if deleted else _halt(seen, overdue_at, now=now, deadlines=deadlines)
    if halt is not None:
        return replace(seen, halted=halt.occurrence, due_at=None), (*restarted, halt)
    return replace(seen, due_at=_next_look(seen, overdue_at, deadlines=deadlines)), tuple(restarted)


def _is_to_end(before: PodEntry, pod: objects.Pod, identities: IdentityRules) -> bool:
    """Whether who made the pod asked for its deletion."""
    ours = before.run is not None or is_of_run(pod)
    return (ours and is_deleted_by_us(pod)) or is_deleted_by_creator(pod, identities)


def _observe_missing(entry: PodEntry, now: datetime) -> tuple[PodEntry, tuple[Occurred, ...]]:
    """The pod is gone and nobody saw its last state: missing, unless it had finished or we deleted it."""
    gone = replace(entry, due_at=None)
    if entry.ended is not None or entry.stopping or entry.phase in FINISHED:
        return gone, ()
    missing = Occurred(occurrence=Occurrence.MISSING, occurred_at=now)
    return replace(gone, ended=missing.occurrence), (missing,)


def _updated(before: PodEntry, pod: objects.Pod, *, restarts: tuple[Restart, ...], now: datetime) -> PodEntry:
    run = progress(before.run, pod, now=now)
    return replace(
        before,
        reference=before.reference if before.reference.node else refer(pod),
        resource_version=pod.metadata.resourceVersion or "",
        phase=intern(strip(pod.status.phase or "")),
        restarts=restarts,
        start_problems=start_problems(before, pod, run=run, now=now),
        run=run,
    )


def _next_look(seen: PodEntry, overdue_at: _KubeletOverdue, *, deadlines: Deadlines) -> datetime | None:
    if _is_over(seen):
        return None
    return earliest(next_overdue(seen.start_problems, deadlines=deadlines), *overdue_at)


def _is_over(seen: PodEntry) -> bool:
    return seen.ended is not None or seen.halted is not None or seen.phase in FINISHED


def _restarted(restart: Restart, ended: objects.Terminated | None, *, now: datetime) -> Occurred:
    return Occurred(
        occurrence=Occurrence.CONTAINER_RESTARTED,
        occurred_at=_not_after(now, ended.finishedAt if ended else None),
        container=restart.container,
        discriminator=restart.dead,
    )


def _end(seen: PodEntry, pod: objects.Pod, found: Sequence[Status], *, deleted: bool, now: datetime) -> Occurred | None:
    run = seen.run
    if seen.ended is not None or (run is not None and seen.stopping and follows_from_stop(run, pod)):
        return None
    cut_short = run is not None and was_cut_short(run, pod)
    if has_failed(pod, found) and not (run is not None and run.gated):
        at = by_server(pod, last_finish(found))
        return Occurred(occurrence=Occurrence.POD_FAILED, occurred_at=_not_after(now, at))
    if (cut_short or (deleted and seen.phase not in FINISHED)) and not seen.stopping:
        at = _not_after(now, pod.metadata.deletionTimestamp)
        return Occurred(occurrence=Occurrence.DELETED_EXTERNALLY, occurred_at=at)
    return None


def _halt(seen: PodEntry, overdue_at: _KubeletOverdue, *, now: datetime, deadlines: Deadlines) -> Occurred | None:
    if _is_over(seen):
        return None
    if (problem := overdue(seen.start_problems, now=now, deadlines=deadlines)) is not None:
        return Occurred(occurrence=Occurrence.NEVER_STARTED, occurred_at=now, container=problem.container or None)
    active_overdue, termination_overdue = overdue_at
    if active_overdue is not None and now >= active_overdue:
        return Occurred(occurrence=Occurrence.DEADLINE_EXCEEDED, occurred_at=now)
    if termination_overdue is not None and now >= termination_overdue:
        return Occurred(occurrence=Occurrence.STUCK_TERMINATING, occurred_at=now)
    return None


def _kubelet_overdue(seen: PodEntry, pod: objects.Pod, deadlines: Deadlines) -> _KubeletOverdue:
    """When the kubelet is overdue: in ending the pod after its active deadline, and in terminating a deleted pod."""
    return _active_overdue(pod, deadlines), None if seen.stopping else _termination_overdue(pod, deadlines)


def _termination_overdue(pod: objects.Pod, deadlines: Deadlines) -> datetime | None:
    """The deletionTimestamp includes the grace period; the kubelet gets a margin beyond it."""
    deleted = aware(pod.metadata.deletionTimestamp)
    return None if deleted is None else later(deleted, deadlines.terminating_margin)


def _active_overdue(pod: objects.Pod, deadlines: Deadlines) -> datetime | None:
    """activeDeadlineSeconds, then the grace period, then a margin for the kubelet, as Armada's executor allows.

    Source: armadaproject/armada internal/executor/service/pod_issue_handler.go.
    """
    active = pod.spec.activeDeadlineSeconds
    if active is None or pod.metadata.deletionTimestamp is not None:
        return None
    started = by_server(pod, pod.status.startTime)
    if started is None:
        return None
    given = pod.spec.terminationGracePeriodSeconds
    allowed = seconds(active + (DEFAULT_GRACE_SECONDS if given is None else given))
    end = later(started, allowed)
    return None if end is None else later(end, deadlines.active_margin)


def _not_after(now: datetime, at: datetime | None) -> datetime:
    """The time in the evidence, else now; never later than now, because a node's clock may be ahead."""
    given = aware(at)
    return now if given is None else min(given, now)
