"""What is stored about a pod between two observations. A cluster may have 100,000 pods, so it is small.

Entries are also stored in the spool as JSON, under these field names: renaming one needs ``msgspec.field(name=...)``.
"""

from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from agent.core.failure import Occurrence
from agent.core.run_event import Identity, PodReference, RunPhase
from agent.observe.deadlines import StartProblemKind
from agent.observe.removal import Removal


class StartProblem(Struct, frozen=True, gc=False, kw_only=True):
    """Why a container, or (``container`` empty) the pod, does not start, and since when that was seen.

    ``paused``: the container runs at the moment and may still succeed, so the problem cannot become overdue; ``since``
    stays.
    """

    kind: StartProblemKind
    container: str
    since: datetime
    paused: bool = False


class Restart(Struct, frozen=True, gc=False, kw_only=True):
    """The last terminated instance that was seen; ``dead`` is its container id, else the restart count."""

    container: str
    dead: str


class RunProgress(Struct, frozen=True, gc=False, kw_only=True):
    """How far the run of a submitted job is, seen from its pod.

    ``gated``: it has our gate. ``started_at`` is when the gate was first seen gone. ``phase`` is the last one that the
    pod gave; a success counts if it came before the pod's deletion was asked for. ``showed_container``: a status had
    a container at some time. ``confirmed``: at some time something confirmed that it no longer lives.
    ``discarded``: nobody waits for its end.
    """

    gated: bool = False
    started_at: datetime | None = None
    phase: RunPhase | None = None
    showed_container: bool = False
    # spools that exist have it under this name
    confirmed: bool = field(default=False, name="proved")
    discarded: bool = False


class PodEntry(Struct, frozen=True, gc=False, kw_only=True):
    """A pod, pruned.

    ``ended`` and ``halted`` are what was reported of it, if anything. ``stopping``: the agent, or the system that made
    the pod, asked for its deletion, so it is not deleted externally. ``due_at``: when to observe it again even if
    nothing changes. ``removal``: the agent is removing the pod. ``run``: it was made for a submitted job.
    """

    identity: Identity
    reference: PodReference
    resource_version: str = ""
    phase: str = ""
    ended: Occurrence | None = None
    halted: Occurrence | None = None
    restarts: tuple[Restart, ...] = ()
    # spools that exist have it under this name
    start_problems: tuple[StartProblem, ...] = field(default=(), name="troubles")
    due_at: datetime | None = None
    stopping: bool = False
    removal: Removal | None = None
    run: RunProgress | None = None


def mark_stopping(entry: PodEntry) -> PodEntry:
    """The entry of a pod whose deletion the agent is about to ask for."""
    return replace(entry, stopping=True)


def mark_confirmed(entry: PodEntry) -> PodEntry:
    """The entry of a run's pod of which something confirmed that it no longer lives."""
    return entry if entry.run is None else replace(entry, run=replace(entry.run, confirmed=True))


def due(entry: PodEntry) -> datetime | None:
    """When to observe the pod again even if nothing changes; ``None`` is never."""
    return entry.due_at
