"""The reflectors of a cluster: pods, their events, nodes and owners."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import structlog

from agent.cluster.watch.named_events import NamedEvents
from agent.cluster.watch.owners import OnOwner, OwnerInformer, owner_informers
from agent.core.classify.mechanism import FAILED_CREATIONS
from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.reflector.cache import Change
from agent.kube.reflector.metrics import ReflectorMetrics
from agent.kube.reflector.reflector import Reflector
from agent.settings.cluster import WatchSettings

_log = structlog.get_logger(__name__)

NODE_EVENTS_PATH: Final = "/api/v1/namespaces/default/events"
"""Where events about nodes are: a node has no namespace, and its events go to ``default``."""

_ABOUT_NODES: Final = "involvedObject.kind=Node"
"""Of both types whatever the settings say: the event that a node is not ready is a Normal one."""

_SYNC_SECONDS: Final = 10.0
"""How long the first list of pods waits for events, nodes and owners, so that old failures have their evidence."""

OnPod = Callable[[Change[objects.Pod, None]], Awaitable[None]]
OnEvent = Callable[[Change[objects.Event, None]], Awaitable[None]]
EventReflectors = Sequence[Reflector[objects.Event, None]]
OnNode = Callable[[Change[objects.Node, str]], Awaitable[None]]


_Informer = Reflector[Any, Any] | OwnerInformer | NamedEvents


@dataclass(slots=True, kw_only=True)
class Informers:
    """The reflectors of one process. ``synced``: every pod of the first list was handed to its handler."""

    pods: Sequence[Reflector[objects.Pod, None]]
    events: Sequence[Reflector[objects.Event, None]]
    nodes: Sequence[Reflector[objects.Node, str]]
    owners: Sequence[OwnerInformer] = ()
    named: NamedEvents | None = None
    synced: bool = False
    _metrics: ReflectorMetrics = field(default_factory=ReflectorMetrics)

    async def run(self, all_listed: Callable[[], None]) -> None:
        """Watch until cancelled. ``all_listed`` is called once, when every pod of the first list was handed on."""
        async with asyncio.TaskGroup() as tasks:
            named = () if self.named is None else (self.named,)
            others: tuple[_Informer, ...] = (*self.events, *self.nodes, *self.owners, *named)
            for informer in others:
                tasks.create_task(informer.run())
            await _synced_within(others, _SYNC_SECONDS)
            for pods in self.pods:
                tasks.create_task(pods.run())
            for pods in self.pods:
                await pods.synced.wait()
            all_listed()
            self.synced = True

    @property
    def complete(self) -> bool:
        """Whether all of what is watched was listed: pods, events, nodes and owners."""
        others = (*self.events, *self.nodes, *self.owners, *(() if self.named is None else (self.named,)))
        return self.synced and all(informer.synced.is_set() for informer in others)

    def check(self) -> str | None:
        return None if self.synced else "not every pod has been listed yet"

    def heard_through(self, now: datetime) -> datetime | None:
        """Up to when the API server has reported all pods; ``None`` while not all are listed."""
        heard = [reflector.stats.last_heard for reflector in self.pods]
        known = [at for at in heard if at is not None]
        if not self.synced or len(known) < len(heard):
            return None
        # Ages are monotonic, so that a wall clock that is set back does not make old news look fresh.
        return now - timedelta(seconds=max(0.0, time.monotonic() - min(known)))

    def lists(self) -> int:
        """How many lists of pods were begun so far."""
        return sum(reflector.stats.lists for reflector in self.pods)

    def no_events(self) -> str | None:
        return _unlisted(self.events, "events")

    def no_nodes(self) -> str | None:
        return _unlisted(self.nodes, "nodes")

    def measure(self) -> None:
        owners = [owner.reflector for owner in self.owners]
        for kind, reflectors in (("pod", self.pods), ("event", self.events), ("node", self.nodes), ("owner", owners)):
            held = sum(len(reflector.cache) for reflector in reflectors)
            self._metrics.measure(
                kind, [reflector.stats for reflector in reflectors], objects=held, now=time.monotonic()
            )


def cluster_informers(
    connection: Connection,
    settings: WatchSettings,
    *,
    on_pod: OnPod,
    on_event: OnEvent,
    on_node: OnNode,
    on_owner: OnOwner,
    reasons: Collection[str],
    on_uncreated: OnEvent | None = None,
) -> Informers:
    """The informers of mode deployment. ``reasons`` are those of Normal events that a rule names.

    Without ``on_uncreated``, events about pods that could not be created are not watched.
    """
    everywhere = paths_of(settings.namespaces, "events")

    def events(fields: str, *, handler: OnEvent = on_event, paths: Sequence[str] = everywhere) -> EventReflectors:
        return [_events(connection, path, fields=fields, handler=handler) for path in paths]

    uncreated: list[Reflector[objects.Event, None]] = []
    if on_uncreated is not None:
        for fields in _of_uncreated(settings):
            uncreated += events(fields, handler=on_uncreated)
    return Informers(
        pods=[
            Reflector(connection, path=path, decode=objects.Pod, handler=on_pod, labels=settings.label_selector)
            for path in paths_of(settings.namespaces, "pods")
        ],
        events=[
            *events(_about_pods(settings)),
            *events(_ABOUT_NODES, paths=(NODE_EVENTS_PATH,)),
            *uncreated,
        ],
        named=NamedEvents(events, reasons=reasons),
        nodes=[Reflector(connection, path="/api/v1/nodes", decode=objects.Node, keep=_keep_name, handler=on_node)],
        owners=owner_informers(connection, settings.namespaces, on_owner=on_owner),
    )


def _events(connection: Connection, path: str, *, fields: str, handler: OnEvent) -> Reflector[objects.Event, None]:
    return Reflector(
        connection,
        path=path,
        decode=objects.Event,
        handler=handler,
        fields=fields,
        remembers=False,  # there may be a million; the event cache knows a repeated one by its uid
    )


def _of_uncreated(settings: WatchSettings) -> Sequence[str]:
    """The events of owners that could not create a pod. Which labels the pod would have had, they do not say."""
    return [] if settings.label_selector else [f"type=Warning,reason={reason}" for reason in sorted(FAILED_CREATIONS)]


def _about_pods(settings: WatchSettings) -> str:
    return "involvedObject.kind=Pod" if settings.normal_events else "involvedObject.kind=Pod,type=Warning"


def paths_of(namespaces: Sequence[str], resource: str) -> Sequence[str]:
    """Where a resource is listed: in these namespaces, or in all."""
    if not namespaces:
        return (f"/api/v1/{resource}",)
    return tuple(f"/api/v1/namespaces/{namespace}/{resource}" for namespace in namespaces)


async def _synced_within(informers: Sequence[_Informer], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            for informer in informers:
                await informer.synced.wait()
    except TimeoutError:
        _log.warning(
            "events or nodes are not listed yet; pods are listed now, and reported without them", seconds=seconds
        )


def _unlisted(reflectors: Sequence[Reflector[Any, Any]], what: str) -> str | None:
    return None if all(reflector.synced.is_set() for reflector in reflectors) else f"{what} could not be listed"


def _keep_name(node: objects.Node) -> str:
    return node.metadata.name or ""
