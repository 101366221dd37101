"""A tracked pod: what is known of it, what is under way with it, and what may be done to it now. No I/O, no clock."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec
from msgspec.structs import replace

from agent.cluster.pods.packed import is_idle
from agent.cluster.spool.entries import Forgotten, Known
from agent.core.run_event import Confirmation
from agent.kube import objects
from agent.kube.finalizer import FINALIZER, HOLD_LABEL
from agent.observe.entry import PodEntry, mark_confirmed
from agent.observe.removal import Removal, RemovalKind, is_being_deleted, only_finalizers_left
from agent.observe.success import FINISHED

_ENCODER: Final = msgspec.json.Encoder()
_RUNNING: Final = "Running"


@dataclass(slots=True, kw_only=True)
class TrackedPod:
    """What this process knows of one pod. Its fields are read anywhere and changed only by its own methods.

    ``held``: it carries our finalizer. ``wants_finalizer``: it does not, and its label asks for it. ``pod`` is its
    last state, kept only while a time or an event may make it worth reconciling without a change of the pod;
    ``due_at`` is that time, as the controller's delay queue has it.
    ``reported_before`` are the ids of the events that earlier processes spooled of it. ``working`` counts its cases
    that are not yet given to the spool's writer, ``unsaved`` the reports given and not yet on disk. ``gone``: the API
    server no longer has it. ``out_of_scope``: it lives, but this process does not watch it. ``empty``: only
    finalizers keep it on the API server. ``deleted_at``: when its grace period ends, if it was deleted. ``seen``:
    there was news of it since this process began. Of the pod of a run: ``listed`` is how many lists of pods there had
    been when no kubelet had reported anything of it yet, ``watched``: this process saw all its changes since.
    ``may_live``: nothing confirms yet that no container of it runs; ``None`` before this process looked. ``answered``:
    its stop is.
    """

    entry: PodEntry
    pod: objects.Pod | None = None
    due_at: datetime | None = None
    held: bool = False
    wants_finalizer: bool = False
    gone: bool = False
    out_of_scope: bool = False
    empty: bool = False
    deleted_at: datetime | None = None
    seen: bool = True
    working: int = 0
    unsaved: int = 0
    listed: int | None = None
    watched: bool = False
    may_live: bool | None = None
    answered: bool = False
    reported_before: frozenset[str] = frozenset()

    def observed(self, entry: PodEntry, pod: objects.Pod | None, *, gone: bool) -> None:
        """There is news of it; ``pod`` is ``None`` where its state was not seen. Gone is final, out of scope is not.

        A uid is never given twice, so a state that comes after its end is an old one.
        """
        self.entry = entry
        self.seen = True
        self.gone = self.gone or gone
        self.out_of_scope = False
        self.held = pod is not None and not self.gone and carries_finalizer(pod)
        self.wants_finalizer = pod is not None and not self.gone and asks_for_finalizer(pod)
        self.empty = pod is not None and only_finalizers_left(pod)
        self.deleted_at = None if pod is None else pod.metadata.deletionTimestamp

    def reconciled(self, pod: objects.Pod | None, *, due_at: datetime | None, by_events: bool) -> None:
        """All that follows from its state was begun. It is due again then; ``by_events``: and when events say more.

        Its state is kept for that, but a running pod's is fetched when it is due: all would not fit in memory.
        """
        by_time = self.entry.removal is not None or (due_at is not None and not _just_runs(pod))
        self.pod = pod if by_events or by_time else None
        self.due_at = due_at

    def deferred(self, *, gone: bool) -> None:
        """The spool takes nothing: its state is not kept, because it is fetched when the spool does."""
        self.gone = self.gone or gone
        self.pod = None
        self.listed = None  # what its containers do meanwhile is not seen

    def left_scope(self) -> None:
        """It lives, and this process does not watch it any longer."""
        self.out_of_scope = True

    def opened(self, cases: int) -> None:
        """This number of cases of it are open from now on."""
        self.working += cases

    def reported(self) -> None:
        """A case of it ended in a report, which is on its way to the disk."""
        self.working -= 1
        self.unsaved += 1

    def stop_answered(self) -> None:
        """The stop that the scheduler asked for is answered."""
        self.answered = True

    def followed(self, lists: int, *, untouched: bool) -> None:
        """Its run was followed up to now, and this process has read ``lists`` lists of pods so far.

        Changes between two lists may be missed, so ``watched`` holds only until the next list. ``untouched``: no
        kubelet has reported anything of it yet, so there was nothing to miss, and it is watched from here on.
        """
        if untouched:
            self.listed = lists
        self.watched = self.listed == lists

    def confirmed(self, confirmation: Confirmation | None) -> None:
        """What of its last status confirms that it no longer lives; ``None``: nothing, but an earlier one may have."""
        if confirmation is not None:
            self.entry = mark_confirmed(self.entry)
        before = self.entry.run is not None and self.entry.run.confirmed
        self.may_live = confirmation is None and not before

    def amended(self) -> None:
        """Something more is reported of it, which is on its way to the disk."""
        self.unsaved += 1

    def saved(self) -> None:
        """A report is on disk. It may be one from before the pod was forgotten: then there is nothing to count."""
        self.unsaved = max(0, self.unsaved - 1)

    def removing(self, removal: Removal, pod: objects.Pod) -> None:
        """The agent removes it from now on; its state is kept, because a removal is also reconciled by time."""
        self.entry = replace(self.entry, removal=removal, stopping=True)
        self.pod = pod

    def removal_advanced(self, removal: Removal | None) -> None:
        """The new state of the removal; ``None``: it is over."""
        self.entry = replace(self.entry, removal=removal)

    def removal_cancelled(self) -> None:
        """It stays after all. What was to be reported of it may happen again, under the same id."""
        if self.entry.removal is not None:
            self.reported_before -= {self.entry.removal.event_id}
            self.entry = replace(self.entry, removal=None, halted=None, stopping=False)

    @property
    def left(self) -> bool:
        """Whether nothing more can happen to it."""
        return self.gone or self.out_of_scope

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to its run."""
        removed = self.entry.stopping and self.empty
        return removed or self.entry.ended is not None or self.entry.phase in FINISHED

    @property
    def settled(self) -> bool:
        """Whether every report of it is on disk."""
        return self.working == 0 and self.unsaved == 0

    @property
    def releasable(self) -> bool:
        """Whether our finalizer may come off, once the reports are safe (docs/protocol.md: released-after-ack)."""
        removal = self.entry.removal
        holds = removal is not None and removal.holds
        ended = self.over and not self.may_live
        return self.held and not self.left and ended and self.settled and not holds

    @property
    def to_hold(self) -> bool:
        """Whether our finalizer would help: it is asked for and the run is not over, or we are about to delete it."""
        if self.left or self.held:
            return False
        return (self.wants_finalizer and not self.over) or (
            self.to_remove and self.deleted_at is None and not self._given_up
        )

    @property
    def packable(self) -> bool:
        """Whether nothing is under way with it, so that its entry is all there is to remember."""
        quiet = self.settled and self.pod is None and self.deleted_at is None and not self.reported_before
        return quiet and not (self.held or self.wants_finalizer or self.left or self.empty) and is_idle(self.entry)

    @property
    def to_remove(self) -> bool:
        """Whether the agent removes it, and that is on disk."""
        return self.entry.removal is not None and not self.left and not self.empty and self.settled

    @property
    def removable(self) -> bool:
        """Whether its deletion may be requested: our finalizer is on it, or can no longer help."""
        return self.to_remove and (self.held or self.deleted_at is not None or self._given_up)

    @property
    def _given_up(self) -> bool:
        """Whether the removal goes on without our finalizer.

        Either it could not be put on in time, or another failure was reported instead of the held one and released it.
        """
        removal = self.entry.removal
        return (
            removal is not None
            and removal.kind is not RemovalKind.HALTED
            and (removal.reported or removal.without_finalizer)
        )

    def durable(self) -> Known | Forgotten:
        """The spool's entry for the pod as it is now."""
        uid = self.entry.reference.uid
        return Forgotten(uid=uid) if self.left else Known(uid=uid, entry=_ENCODER.encode(lasting(self.entry)))


def lasting(entry: PodEntry) -> PodEntry:
    """The part of an entry that is worth a write: without what changes at every reconciliation."""
    return replace(entry, resource_version="", due_at=None)


def carries_finalizer(pod: objects.Pod) -> bool:
    return FINALIZER in (pod.metadata.finalizers or ())


def asks_for_finalizer(pod: objects.Pod) -> bool:
    """Whether the finalizer is to be added. The API server allows none on a pod that is being deleted."""
    asked = (pod.metadata.labels or {}).get(HOLD_LABEL) == "true"
    return asked and not carries_finalizer(pod) and not is_being_deleted(pod)


def _just_runs(pod: objects.Pod | None) -> bool:
    """Whether it is an ordinary running pod, which has one deadline, far off, and is mostly gone by then."""
    return pod is not None and pod.status.phase == _RUNNING and not is_being_deleted(pod)
