"""What a process watches in each mode, and how it confirms that pods which left a watch are gone."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final

from agent.cluster.admission.answers import ConditionAnswers
from agent.cluster.admission.webhook import open_server
from agent.cluster.daemonset.failover import Limits, NodeFailover
from agent.cluster.daemonset.informers import NodeInformers
from agent.cluster.daemonset.node_lease import NodeLease
from agent.cluster.process import WatchSet
from agent.cluster.watch.informers import Informers, cluster_informers, paths_of
from agent.cluster.watch.tombstones import Tombstones
from agent.cluster.wiring.pipeline import Context, Pipeline
from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.lease import Leases, Owner, Record
from agent.kube.pods import PodReader, PodWriter, nodes_with_pods
from agent.kube.reflector.cache import Change
from agent.settings.cluster import WatchSettings
from agent.settings.modes import LeaseSettings, NodeModeSettings

_ANSWER_SECONDS: Final = 5.0
_UNHEARD: Final = timedelta(minutes=3)
"""How long a watch may deliver nothing, not even bookmarks, before this process stops renewing its node's lease.

The API server sends a bookmark about every minute.
"""


def deployment_mode(context: Context, pipeline: Pipeline) -> WatchSet:
    tombstones, answers = _tombstones(context, pipeline), pipeline.answers
    informers = cluster_informers(
        context.connection,
        context.settings.watch,
        on_pod=tombstones.on_pod if answers is None else _answers_first(answers, tombstones),
        on_event=pipeline.controller.on_event,
        on_node=pipeline.controller.on_node,
        on_owner=pipeline.controller.on_owner,
        on_uncreated=pipeline.never_created.on_event,
        reasons=context.rules.reasons,
    )
    server = open_server(context.settings, answers, clock=context.clock)
    return WatchSet(
        informers=informers,
        tombstones=tombstones,
        all_listed=tombstones.all_listed,
        runners=(tombstones,) if server is None else (tombstones, server),
        admission=server,
    )


def _answers_first(
    answers: ConditionAnswers, tombstones: Tombstones
) -> Callable[[Change[objects.Pod, None]], Awaitable[None]]:
    """Show the webhook each change of a pod before the others see it: they may wait for the disk."""

    async def on_pod(change: Change[objects.Pod, None]) -> None:
        answers.on_pod(change)
        await tombstones.on_pod(change)

    return on_pod


def daemonset_mode(context: Context, pipeline: Pipeline, *, node: str, lease: LeaseSettings) -> WatchSet:
    """Our own node; as the leader also what nobody else sees."""
    tombstones, node_informers = (
        _tombstones(context, pipeline),
        NodeInformers(context.connection, context.settings.watch),
    )
    informers = node_informers.of_node(node, on_pod=tombstones.on_pod, on_node=pipeline.controller.on_node)
    node_lease = _node_lease(context, pipeline, informers, node=node, lease=lease)
    queries = _ApiQueries(node_lease, context.connection, context.settings.watch)
    failover = NodeFailover(
        node_informers=node_informers,
        queries=queries,
        handler=pipeline.controller,
        lookup=PodReader(context.connection),
        pods=pipeline.pods,
        own=node,
        limits=_limits(context.settings.node),
    )
    return WatchSet(
        informers=informers,
        tombstones=tombstones,
        all_listed=failover.moved_pods.all_listed,
        runners=(tombstones, failover.moved_pods, failover, node_lease),
        failover=failover,
    )


def _tombstones(context: Context, pipeline: Pipeline) -> Tombstones:
    return Tombstones(
        PodReader(context.connection),
        pipeline.pods,
        pipeline.controller,
        finalizers=PodWriter(context.connection),
        selective=context.settings.watch.label_selector != "",
    )


def _limits(settings: NodeModeSettings) -> Limits:
    return Limits(silence=settings.silence.total_seconds(), at_most=settings.covered_at_most)


def _node_lease(
    context: Context, pipeline: Pipeline, informers: Informers, *, node: str, lease: LeaseSettings
) -> NodeLease:
    def owner() -> Owner | None:
        known = pipeline.gatherer.nodes.get(node)
        return None if known is None else Owner(name=node, uid=known.metadata.uid or "")

    def sees() -> bool:
        now = context.clock()
        heard = informers.heard_through(now)
        return heard is not None and now - heard < _UNHEARD

    settings = context.settings.node
    return NodeLease(
        Leases(context.connection, lease.namespace, seconds=_ANSWER_SECONDS),
        prefix=lease.name,
        record=Record(holder=context.incarnation, duration=round(settings.silence.total_seconds()), transitions=1),
        node=node,
        owner=owner,
        sees=sees,
        every=settings.heard.total_seconds(),
        clock=context.clock,
    )


class _ApiQueries:
    """Fits ``failover.Asks``."""

    def __init__(self, node_lease: NodeLease, connection: Connection, settings: WatchSettings) -> None:
        self._node_lease = node_lease
        self._connection = connection
        self._settings = settings

    async def leases(self) -> Mapping[str, Record]:
        return await self._node_lease.leases_by_node()

    async def placements(self) -> frozenset[str]:
        found: set[str] = set()
        for path in paths_of(self._settings.namespaces, "pods"):
            found |= await nodes_with_pods(self._connection, path, labels=self._settings.label_selector)
        return frozenset(found)
