"""Entry: what is kept of a pod between two looks at it; there may be 100,000 (reference/performance.md 1c)."""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from agent.core.failure import Identity, Occurrence, PodReference
from agent.observe.deadlines import TroubleKind
from agent.observe.removal import Removal


class Trouble(Struct, frozen=True, gc=False, kw_only=True):
    """Why a container, or (``container`` empty) the pod, does not start, and since when that was seen.

    ``paused``: the container runs just now, and may yet be done; the time goes on.
    """

    kind: TroubleKind
    container: str
    since: datetime
    paused: bool = False


class Restart(Struct, frozen=True, gc=False, kw_only=True):
    """The last dead container that was seen: its id, else the restart count."""

    container: str
    dead: str


class PodEntry(Struct, frozen=True, gc=False, kw_only=True):
    """A pod, pruned.

    ``ended`` and ``halted`` are what was reported of it, if anything. ``stopping``: the agent, or the system that made
    the pod, asked for its deletion, which is then nobody else's doing. ``due_at``: when to look again without news.
    ``removal``: the agent takes the pod away.
    """

    identity: Identity
    reference: PodReference
    resource_version: str = ""
    phase: str = ""
    ended: Occurrence | None = None
    halted: Occurrence | None = None
    restarts: tuple[Restart, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    due_at: datetime | None = None
    stopping: bool = False
    removal: Removal | None = None


def stopping(entry: PodEntry) -> PodEntry:
    """The entry of a pod whose deletion the agent is about to ask for."""
    return replace(entry, stopping=True)


def due(entry: PodEntry) -> datetime | None:
    """When to look at the pod again though nothing is heard of it; ``None`` for never."""
    return entry.due_at
