"""Events from one bounded list for each failed pod, where they are not watched (mode daemonset)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from agent.cluster.evidence.case import Case
from agent.cluster.evidence.events import EventCache
from agent.core.evidence import MissingEvidence
from agent.core.failure import IN_RUN
from agent.core.run_event import PodReference
from agent.kube import objects
from agent.kube.events import EventsUnavailable

_NODE_SECONDS: Final = 30.0
"""How long a list of a node's events is reused, because pods of one node often fail together."""


class Events(Protocol):
    async def about_pod(self, pod: PodReference, *, deadline: float) -> list[objects.Event]:
        """Events about this very pod. Raises EventsUnavailable."""
        ...

    async def about_node(self, name: str, *, deadline: float) -> list[objects.Event]:
        """Events about the node. Raises EventsUnavailable."""
        ...


@dataclass(slots=True, kw_only=True)
class RateLimit:
    """Evenly spaced turns, ``per_second`` of them, so that a burst of failures does not become one of lists."""

    per_second: float
    _next: float = 0.0

    def take(self, now: float, *, within: float) -> float | None:
        """Take the next turn. Returns the seconds until it, or ``None`` without taking it if that is too far off."""
        turn = max(now, self._next)
        if turn - now >= within:
            return None
        self._next = turn + 1 / self.per_second
        return turn - now


class EventList:
    """Lists the events of a case's pod, and now and then of its node, into the event cache. A ``Source``."""

    def __init__(
        self,
        events: Events,
        cache: EventCache,
        *,
        rate_limit: RateLimit,
        deadline: float,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
    ) -> None:
        self._events = events
        self._cache = cache
        self._rate_limit = rate_limit
        self._deadline = deadline
        self._clock = clock
        self._monotonic = monotonic
        self._listed_nodes: dict[str, float] = {}

    def wanted(self, case: Case) -> bool:
        """Every case except restarts in place, because there may be many."""
        return case.occurred.occurrence not in IN_RUN

    async def read(self, case: Case) -> Case:
        """The case; its events are in the cache now, or recorded as missing."""
        try:
            await self._list(case)
        except EventsUnavailable as error:
            return replace(case, missing=(*case.missing, MissingEvidence(what="events", reason=str(error))))
        return case

    async def _list(self, case: Case) -> None:
        until = self._monotonic() + self._deadline
        self._put(await self._events.about_pod(case.entry.reference, deadline=await self._wait_turn(until)))
        if (node := case.entry.reference.node) and self._is_due(node):
            self._put(await self._events.about_node(node, deadline=await self._wait_turn(until)))
            self._listed_nodes[node] = self._monotonic()

    async def _wait_turn(self, until: float) -> float:
        """Wait for a turn. Returns the seconds that are left then. Raises EventsUnavailable."""
        now = self._monotonic()
        pause = self._rate_limit.take(now, within=until - now)
        if pause is None:
            raise EventsUnavailable(
                f"more pods failed than events are listed for: {self._rate_limit.per_second:g} a second"
            )
        await asyncio.sleep(pause)
        return until - now - pause

    def _is_due(self, node: str) -> bool:
        now = self._monotonic()
        for old in [name for name, at in self._listed_nodes.items() if now - at >= _NODE_SECONDS]:
            del self._listed_nodes[old]
        return node not in self._listed_nodes

    def _put(self, events: list[objects.Event]) -> None:
        for event in events:
            self._cache.put(event, now=self._clock())
