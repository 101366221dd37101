"""What a process sees, in each mode: what it watches, and whom it asks about pods that went out of sight."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from agent.cluster.daemonset.failover import Limits, NodeFailover
from agent.cluster.daemonset.informers import NodeInformers
from agent.cluster.daemonset.node_lease import NodeLease
from agent.cluster.process import WatchSet
from agent.cluster.watch.informers import Informers, paths_of, watch
from agent.cluster.watch.tombstones import Tombstones
from agent.cluster.wiring.pipeline import Context, Pipeline
from agent.kube.connection import Connection
from agent.kube.lease import Leases, Owner, Record
from agent.kube.pods import PodReader, PodWriter, nodes_with_pods
from agent.settings.cluster import WatchSettings
from agent.settings.modes import LeaseSettings, NodeModeSettings

_ANSWER_SECONDS: Final = 5.0
_UNHEARD: Final = timedelta(minutes=3)
"""How long a watch may say nothing, bookmarks included, before its node counts as not seen."""


def deployment_mode(ground: Context, parts: Pipeline) -> WatchSet:
    """Mode deployment."""
    doubts = _doubts(ground, parts)
    watching = watch(
        ground.connection,
        ground.settings.watch,
        on_pod=doubts.on_pod,
        on_event=parts.reporter.on_event,
        on_node=parts.reporter.on_node,
        on_owner=parts.reporter.on_owner,
    )
    return WatchSet(watch=watching, doubts=doubts, all_listed=doubts.all_listed, asking=(doubts,))


def daemonset_mode(ground: Context, parts: Pipeline, *, node: str, lease: LeaseSettings) -> WatchSet:
    """Mode daemonset: our own node, and while elected what nobody else sees."""
    doubts, selections = _doubts(ground, parts), NodeInformers(ground.connection, ground.settings.watch)
    watching = selections.of_node(node, on_pod=doubts.on_pod, on_node=parts.reporter.on_node)
    presence = _presence(ground, parts, watching, node=node, lease=lease)
    asks = _Asks(presence, ground.connection, ground.settings.watch)
    elected = NodeFailover(
        selections=selections,
        asks=asks,
        reports=parts.reporter,
        lookup=PodReader(ground.connection),
        pods=parts.pods,
        own=node,
        limits=_limits(ground.settings.node),
    )
    return WatchSet(
        watch=watching,
        doubts=doubts,
        all_listed=elected.moves.all_listed,
        asking=(doubts, elected.moves, elected, presence),
        elected=elected,
    )


def _doubts(ground: Context, parts: Pipeline) -> Tombstones:
    return Tombstones(
        PodReader(ground.connection),
        parts.pods,
        parts.reporter,
        finalizers=PodWriter(ground.connection),
        selective=ground.settings.watch.label_selector != "",
    )


def _limits(settings: NodeModeSettings) -> Limits:
    return Limits(silence=settings.silence.total_seconds(), at_most=settings.covered_at_most)


def _presence(ground: Context, parts: Pipeline, watching: Informers, *, node: str, lease: LeaseSettings) -> NodeLease:
    def owner() -> Owner | None:
        known = parts.surroundings.nodes.get(node)
        return None if known is None else Owner(name=node, uid=known.metadata.uid or "")

    def sees() -> bool:
        now = ground.clock()
        heard = watching.heard_through(now)
        return heard is not None and now - heard < _UNHEARD

    settings = ground.settings.node
    return NodeLease(
        Leases(ground.connection, lease.namespace, seconds=_ANSWER_SECONDS),
        prefix=lease.name,
        record=Record(holder=ground.incarnation, duration=round(settings.silence.total_seconds()), transitions=1),
        node=node,
        owner=owner,
        sees=sees,
        every=settings.heard.total_seconds(),
        clock=ground.clock,
    )


class _Asks:
    """Fits ``elected.Asks``."""

    def __init__(self, presence: NodeLease, connection: Connection, settings: WatchSettings) -> None:
        self._presence = presence
        self._connection = connection
        self._settings = settings

    async def leases(self) -> Mapping[str, Record]:
        return await self._presence.others()

    async def placements(self) -> frozenset[str]:
        found: set[str] = set()
        for path in paths_of(self._settings.namespaces, "pods"):
            found |= await nodes_with_pods(self._connection, path, labels=self._settings.label_selector)
        return frozenset(found)
