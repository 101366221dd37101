"""Unstarted pods: what the pending-pod checks find becomes an occurrence, or a time to look again."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from msgspec.structs import replace

from agent.core.evidence import Event
from agent.core.failure import CheckAction, Occurrence
from agent.kube import objects
from agent.observe.checks.finding import Found, Waiting
from agent.observe.checks.pending import PendingPodChecks, check_pending
from agent.observe.deadlines import earliest
from agent.observe.entry import PodEntry
from agent.observe.occurrence import Occurred
from agent.observe.removal import is_being_deleted

_LEADS = {
    CheckAction.RETRY: "Unable to start pod, it is removed and its run may be tried again.",
    CheckAction.FAIL: "Unable to start pod with unrecoverable problem, its run is not tried again.",
}
"""Armada's own first words: rules written for Armada match them."""


def observe_unstarted(
    entry: PodEntry, pod: objects.Pod, events: Sequence[Event], *, checks: PendingPodChecks, now: datetime
) -> tuple[PodEntry, tuple[Occurred, ...]]:
    """What to keep of the pod, and ``never-started`` if a check gives it up.

    A pod that was reported already, is being deleted, or waits behind our gate is not checked.
    """
    run = entry.run
    waits = run is not None and run.gated
    if entry.ended is not None or entry.halted is not None or waits or is_being_deleted(pod):
        return entry, ()
    match check_pending(pod, events, checks=checks, now=now, started_at=None if run is None else run.started_at):
        case Found() as found:
            occurred = Occurred(occurrence=Occurrence.NEVER_STARTED, occurred_at=now, found=found)
            return replace(entry, halted=Occurrence.NEVER_STARTED, due_at=None), (occurred,)
        case Waiting(until=until):
            return replace(entry, due_at=earliest(entry.due_at, until)), ()
        case never:
            assert_never(never)


def never_started_message(found: Found, pod_error: str) -> str:
    """The message for a pod that a check gave up: what it means, what was found, and the pod's own error.

    A part that an earlier one already contains is left out.
    """
    parts = (_LEADS[found.finding.action], found.message, pod_error)
    return "\n".join(
        part for number, part in enumerate(parts) if part and part.strip() not in "\n".join(parts[:number])
    )
