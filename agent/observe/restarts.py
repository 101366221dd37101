"""Restarts: containers that ended and were started again in place."""

from collections.abc import Iterable

from agent.kube import objects
from agent.observe.containers import Status
from agent.observe.entry import Entry, Restart


def last_dead(found: Iterable[Status]) -> list[tuple[Restart, objects.Terminated | None]]:
    """The last dead container of every container that was, or is about to be, started again.

    A dead container is known by its id, else by the number of restarts.
    """
    dead = []
    for _, status in found:
        ended = status.lastState.terminated if status.lastState else None
        if ended is None and not status.restartCount:
            continue
        told = (ended.containerID if ended else None) or str(status.restartCount or 0)
        dead.append((Restart(container=status.name or "", dead=told), ended))
    return dead


def is_new(restart: Restart, entry: Entry | None) -> bool:
    """Whether this dead container was not seen before."""
    return entry is None or restart not in entry.restarts
