"""Normal events about what pods belong to, heard only for the reasons that a rule names.

Kueue writes evictions as Normal events on its Workload, other controllers on their Job. All Normal events would be
several for each pod that starts. So each reason has a watch of its own (field selector ``reason=``), which carries
next to nothing. Events about pods are left out here: ``watch.normalEvents`` decides about them.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Final

import structlog

from agent.kube import objects
from agent.kube.reflector.reflector import Reflector

_log = structlog.get_logger(__name__)

EventReflector = Reflector[objects.Event, None]

MOST_REASONS: Final = 20
"""How many reasons are watched: each is one more watch that the API server passes every event through."""


def selector(reason: str) -> str:
    """The field selector of Normal events with this reason about anything but pods."""
    return f"involvedObject.kind!=Pod,type=Normal,reason={reason}"


class NamedEvents:
    """The watches of the reasons in force; a change of the rules starts and ends them.

    ``make`` makes the reflectors for a field selector. Reasons beyond ``MOST_REASONS`` are logged and not watched.
    ``synced`` is set when the events of the first reasons are listed.
    """

    def __init__(self, make: Callable[[str], Sequence[EventReflector]], *, reasons: Collection[str]) -> None:
        self.synced = asyncio.Event()
        self._make = make
        self._wanted = _bounded(reasons)
        self._changed = asyncio.Event()
        self._running: dict[str, list[asyncio.Task[None]]] = {}

    @property
    def reasons(self) -> Collection[str]:
        return self._wanted

    def use(self, reasons: Collection[str]) -> None:
        """Watch these reasons from now on. Call on the event loop."""
        self._wanted = _bounded(reasons)
        self._changed.set()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                begun = self._begin_and_end(tasks)
                if not self.synced.is_set():
                    tasks.create_task(self._sync(begun))
                await self._changed.wait()

    def _begin_and_end(self, tasks: asyncio.TaskGroup) -> Sequence[EventReflector]:
        """End the watches that are no longer wanted, and return those that begin."""
        for reason in self._running.keys() - set(self._wanted):
            for task in self._running.pop(reason):
                task.cancel()
        begun: list[EventReflector] = []
        for reason in set(self._wanted) - self._running.keys():
            watches = self._make(selector(reason))
            self._running[reason] = [tasks.create_task(watch.run()) for watch in watches]
            begun += watches
        return begun

    async def _sync(self, watches: Sequence[EventReflector]) -> None:
        for watch in watches:
            await watch.synced.wait()
        self.synced.set()


def _bounded(reasons: Collection[str]) -> tuple[str, ...]:
    """The reasons that can be selected, in order: what a field selector cannot say is no reason of an event."""
    wanted = sorted(reason for reason in reasons if reason.isascii() and reason.isalnum())
    if len(wanted) > MOST_REASONS:
        _log.warning(
            "rules name more reasons of Normal events than are watched on owners of pods; the rest is not heard",
            at_most=MOST_REASONS,
            left_out=wanted[MOST_REASONS:],
        )
    return tuple(wanted[:MOST_REASONS])
