"""Restarts: containers that ended and were started again in place."""

from collections.abc import Iterator

from agent.kube import objects
from agent.observe.containers import statuses
from agent.observe.entry import Entry, Restart


def last_dead(pod: objects.Pod) -> Iterator[tuple[Restart, objects.Terminated | None]]:
    """The last dead container of every container that was, or is about to be, started again.

    A dead container is known by its id, else by the number of restarts.
    """
    for _, status in statuses(pod):
        ended = status.lastState.terminated if status.lastState else None
        if ended is None and not status.restartCount:
            continue
        dead = (ended.containerID if ended else None) or str(status.restartCount or 0)
        yield Restart(container=status.name or "", dead=dead), ended


def is_new(restart: Restart, entry: Entry | None) -> bool:
    """Whether this dead container was not seen before."""
    return entry is None or restart not in entry.restarts
