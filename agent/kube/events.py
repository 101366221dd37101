"""Reads the events about one pod or node on demand, where events are not watched."""

import asyncio
from collections.abc import Collection
from typing import Final

from agent.core.run_event import PodReference
from agent.kube.codec import Codec, Unreadable
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Unreachable
from agent.kube.objects import Event

EVENTS_READ: Final = 50
"""How many events one request asks for: more than are kept, because the API server does not sort them by time."""

ALL_TYPES: Final = frozenset({"Normal", "Warning"})

_EVENTS: Final = Codec(Event)


class EventsUnavailable(Exception):
    """The events could not be read; the text says why, for the list of missing evidence."""


class EventReader:
    """Lists events by the object they are about, one page each. Needs the verb list on events.

    ``types``: event types to ask for about pods; about nodes all types are read.
    """

    def __init__(self, connection: Connection, *, types: Collection[str] = ALL_TYPES) -> None:
        self._connection = connection
        self._of_types = "" if frozenset(types) >= ALL_TYPES else f",type={','.join(sorted(types))}"

    async def about_pod(self, pod: PodReference, *, deadline: float) -> list[Event]:
        """Events about this very pod; ``deadline`` in seconds. Raises EventsUnavailable."""
        return await self._list(pod.namespace, f"involvedObject.uid={pod.uid}{self._of_types}", deadline=deadline)

    async def about_node(self, name: str, *, deadline: float) -> list[Event]:
        """Events about the node of this name; ``deadline`` in seconds. Raises EventsUnavailable.

        A node has no namespace; the kubelet writes its events to ``default``.
        """
        return await self._list("default", f"involvedObject.kind=Node,involvedObject.name={name}", deadline=deadline)

    async def _list(self, namespace: str, fields: str, *, deadline: float) -> list[Event]:
        params = {"fieldSelector": fields, "limit": str(EVENTS_READ)}
        try:
            async with asyncio.timeout(deadline):
                body = await self._connection.get(f"/api/v1/namespaces/{namespace}/events", params, seconds=deadline)
            return _EVENTS.read_page(body).objects
        except TimeoutError as error:
            raise EventsUnavailable(f"the events were not listed within {deadline:g} s") from error
        except (ApiError, Unreachable, Unreadable) as error:
            raise EventsUnavailable(str(error)) from error
