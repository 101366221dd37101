"""``failure-agent cluster``: the parts wired together, from settings to a process that can be stopped."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import structlog

from agent.broker.lazy import LazyBroker
from agent.broker.port import BrokerError, TopicTaken
from agent.broker.topics import events_topic
from agent.cluster.config.files import Configuration, ConfigurationFiles, Reloader
from agent.cluster.evidence.nodes import Nodes
from agent.cluster.gauges import Gauges
from agent.cluster.leader.election import Timing
from agent.cluster.leader.elector import Alone, Elector, Leadership, Others
from agent.cluster.leader.term import LeaderTerm
from agent.cluster.leader.watermark import Watermark
from agent.cluster.process import ClusterAgent, Health, WatchSet
from agent.cluster.publish.heartbeat import Heartbeats, Sender
from agent.cluster.publish.publisher import Publishing
from agent.cluster.rbac import PermissionReview, needed, used_if_granted
from agent.cluster.spool.spool import Spool
from agent.cluster.wiring.modes import daemonset_mode, deployment_mode
from agent.cluster.wiring.pipeline import Context, Pipeline, make_parts
from agent.kube.access import is_granted
from agent.kube.connection import Connection
from agent.kube.lease import Leases
from agent.process.stopping import stop_requested, unless_stopped
from agent.settings.cluster import ClusterSettings
from agent.settings.reloading import Reading
from agent.telemetry import cluster_metrics as metrics
from agent.telemetry.health import HealthServer

_log = structlog.get_logger(__name__)
_CLAIM_SECONDS: Final = 5.0


def build(ground: Context) -> ClusterAgent:
    """Put the parts together. Raises SpoolError where the spool is another cluster's."""
    settings, spool, clock = ground.settings, ground.spool, ground.clock
    spool.belong_to(ground.cluster_id)
    parts = make_parts(ground)
    sight = _sight(ground, parts)
    parts.surroundings.listing = sight.watch
    progress = Watermark(
        spool,
        seen=(
            lambda: parts.judging.seen_through(clock()),
            lambda: parts.reporter.backlog.seen_through(clock()),
            lambda: sight.watch.heard_through(clock()),
        ),
        clock=clock,
    )
    leadership = _leadership(ground, progress)
    publishing = _publishing(ground, parts, exclusive=sight.elected is None)
    queues = {"disk": parts.writer.waiting, **parts.judging.queues()}
    gauges = Gauges(
        pods=parts.pods,
        watch=sight.watch,
        backlog=parts.reporter.backlog,
        refused=lambda: parts.writer.problem,
        queues=queues,
        clock=clock,
    )
    return ClusterAgent(
        sight=sight,
        reporter=parts.reporter,
        writer=parts.writer,
        chores=(*parts.chores.all(), parts.reporter.looker),
        publishing=publishing,
        heartbeats=_heartbeats(ground, parts.surroundings.nodes, gauges, leadership),
        leadership=leadership,
        term=sight.elected or _publication(ground, parts, sight, publishing=publishing, leadership=leadership),
        progress=progress,
        log_readers=settings.log_tails.at_once,
        shutdown=settings.shutdown,
    )


def _publishing(ground: Context, parts: Pipeline, *, exclusive: bool) -> Publishing:
    return Publishing(
        ground.broker,
        ground.spool,
        cluster=ground.settings.cluster,
        owner=ground.cluster_id,
        subscriptions=ground.settings.subscriptions,
        settled=parts.chores.release.consider,
        exclusive=exclusive,
    )


def _sight(ground: Context, parts: Pipeline) -> WatchSet:
    one = ground.settings.one_node()
    return (
        deployment_mode(ground, parts) if one is None else daemonset_mode(ground, parts, node=one.name, lease=one.lease)
    )


def _publication(
    ground: Context, parts: Pipeline, sight: WatchSet, *, publishing: Publishing, leadership: Leadership
) -> LeaderTerm:
    """Until the term begins, nothing is published and no pod touched."""
    ground.spool.stand_by()
    chores = parts.chores.all()
    for chore in chores:
        chore.only_while(lambda: leadership.epoch is not None)
    sight.doubts.only_while(lambda: leadership.epoch is not None)
    return LeaderTerm(spool=ground.spool, publishing=publishing, chores=chores, pods=parts.pods)


def _leadership(ground: Context, progress: Watermark) -> Leadership:
    """Without a lease it is alone."""
    lease = ground.settings.lease
    if lease is None:
        return Alone()
    timing = Timing(duration=lease.duration, every=lease.renew.total_seconds())
    return Elector(
        Leases(ground.connection, lease.namespace, seconds=timing.answer),
        name=lease.name,
        me=f"{socket.gethostname()}_{ground.incarnation}",
        timing=timing,
        others=Others(behind=progress.behind, told=progress.told),
        clock=ground.clock,
    )


def _heartbeats(ground: Context, nodes: Nodes, gauges: Gauges, leadership: Leadership) -> Heartbeats:
    return Heartbeats(
        ground.broker,
        Sender(cluster_id=ground.cluster_id, cluster=ground.settings.cluster, incarnation=ground.incarnation),
        spool=ground.spool,
        nodes=nodes,
        measure=gauges.update,
        epoch=lambda: leadership.epoch,
        interval=ground.settings.heartbeat.interval,
        clock=ground.clock,
    )


async def run(reading: Reading[Configuration], files: ConfigurationFiles) -> None:
    """Run until asked to stop, by what the files say as they change."""
    settings, rules = reading.value.settings, reading.value.rules
    async with AsyncExitStack() as stack:
        asked = stack.enter_context(stop_requested())
        spool = _open_spool(settings)
        stack.callback(spool.close)
        metrics.SPOOL_EVENTS_LIMIT.set(settings.spool.max_events)
        metrics.SPOOL_BYTES_LIMIT.set(settings.spool.max_bytes)
        broker = LazyBroker.open(settings.broker)
        stack.callback(broker.close)
        health = Health(broker)
        server = HealthServer(settings.health.host, settings.health.port, health.ready(), alive=health.alive())
        stack.enter_context(server)
        _log.info("health is served", host=settings.health.host, port=server.port)
        connection = await stack.enter_async_context(await Connection.open(settings.kube))
        health.rights = await stack.enter_async_context(_reviewing(connection, settings))
        identity = await unless_stopped(asked, health.identify(connection))
        if identity is not None:
            await _claim(broker, events_topic(settings.cluster), owner=identity)
            ground = Context(
                settings=settings, rules=rules, spool=spool, broker=broker, connection=connection, cluster_id=identity
            )
            health.agent = build(ground)
            reloader = Reloader(reading, files, use=health.agent.use)
            await stack.enter_async_context(_beside(reloader.run(), name="reload"))
            _log.info("reporting", cluster=settings.cluster, cluster_id=identity, rules=rules.revision)
            gc.collect()
            gc.freeze()  # what was made until now stays; looking through it again would stall the loop for 70 ms
            await health.agent.run(asked)
    _log.info("stopped")


async def _claim(broker: LazyBroker, topic: str, *, owner: str) -> None:
    """Refuse to start where the topic is another cluster's. Raises TopicTaken."""
    try:
        async with asyncio.timeout(_CLAIM_SECONDS):
            await asyncio.to_thread(broker.claim, topic, owner=owner)
    except TopicTaken:
        raise
    except (BrokerError, TimeoutError) as error:
        _log.warning("it cannot be told yet whose the topic is; asked again before publishing", error=str(error))


@asynccontextmanager
async def _reviewing(connection: Connection, settings: ClusterSettings) -> AsyncIterator[PermissionReview]:
    rights = PermissionReview(
        lambda access: is_granted(connection, access),
        needed=needed(settings),
        used_if_granted=used_if_granted(settings),
        interval=settings.rights_review.total_seconds(),
    )
    connection.on_forbidden(rights.refused)
    async with _beside(rights.run(), name="rights"):
        yield rights


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None], *, name: str) -> AsyncIterator[None]:
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _open_spool(settings: ClusterSettings) -> Spool:
    return Spool.open(
        settings.spool.path,
        cluster=settings.cluster,
        max_bytes=settings.spool.max_bytes,
        keep_acknowledged=settings.spool.keep_acknowledged,
        max_events=settings.spool.max_events,
    )
