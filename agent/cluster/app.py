"""``failure-agent cluster``: the parts put together, from settings to a process that can be stopped.

The only place of the agent that opens the spool, the broker and the connection. ``run`` opens them in the order in
which they may be refused cheaply: the spool's lock, then the broker's address, the health server (so that a probe can
say what is missing), the API server, and finally the claim of the topic.
"""

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
from agent.cluster.config.files import ClusterFiles, Configuration, reloader
from agent.cluster.evidence.nodes import Nodes
from agent.cluster.gauges import Gauges
from agent.cluster.leader.election import Timing
from agent.cluster.leader.elector import Elector, Leadership, Peers, SoleLeader
from agent.cluster.leader.term import LeaderTerm
from agent.cluster.leader.watermark import Watermark
from agent.cluster.process import ClusterAgent, Health, WatchSet
from agent.cluster.publish.heartbeat import Heartbeats, Sender
from agent.cluster.publish.publisher import Publishing
from agent.cluster.publish.rule_sets import RuleSetReports
from agent.cluster.rbac import PermissionReview, needed, used_if_granted
from agent.cluster.runs.consumer import CommandConsumer
from agent.cluster.runs.gates import GateProbe
from agent.cluster.spool.entries import RULE_SETS
from agent.cluster.spool.spool import Spool
from agent.cluster.time_check import TimeCheck, hear, settle
from agent.cluster.wiring.commands import make_commands, make_lists
from agent.cluster.wiring.modes import daemonset_mode, deployment_mode
from agent.cluster.wiring.pipeline import Context, Pipeline, make_pipeline
from agent.kube.access import is_granted
from agent.kube.connection import Connection
from agent.kube.gated_pods import GatedPods
from agent.kube.lease import Leases
from agent.process.reloading import Reading
from agent.process.server_clock import ServerClock
from agent.process.stopping import stop_requested, unless_stopped
from agent.settings.cluster import ClusterSettings
from agent.telemetry import cluster_metrics as metrics
from agent.telemetry.health import HealthServer

_log = structlog.get_logger(__name__)
_CLAIM_SECONDS: Final = 5.0
"""How long the start waits for the broker to name the topic's owner; the publisher claims it again before it sends."""


def build(context: Context) -> ClusterAgent:
    """Put the parts together. Raises SpoolError if the spool is bound to another cluster."""
    settings, clock = context.settings, context.clock
    context.spool.bind(context.cluster_id)
    pipeline = make_pipeline(context)
    watch_set = _watch_set(context, pipeline)
    pipeline.gatherer.listing = watch_set.informers  # set late: informers need the controller, and it the gatherer
    pipeline.run_reports.lists = watch_set.lists
    watermark = _watermark(context, pipeline, watch_set)
    leadership = _leadership(context, watermark)
    publishing = _publishing(context, pipeline, exclusive=watch_set.failover is None)
    lists = make_lists(context, pipeline, term=lambda: leadership.epoch if watch_set.sees_runs() else None)
    commands = make_commands(
        context, pipeline, lists, leads=lambda: leadership.epoch is not None, sees=watch_set.sees_runs
    )
    gauges = _gauges(context, pipeline, watch_set)
    return ClusterAgent(
        watch_set=watch_set,
        controller=pipeline.controller,
        writer=pipeline.writer,
        queues=(*pipeline.queues.all(), pipeline.controller.refetch),
        publishing=publishing,
        heartbeats=_heartbeats(context, pipeline.gatherer.nodes, gauges, leadership, commands),
        commands=commands,
        runs=() if commands is None else (commands, lists),
        leadership=leadership,
        term=watch_set.failover
        or _leader_term(context, pipeline, watch_set, publishing=publishing, leadership=leadership),
        watermark=watermark,
        rule_sets=_rule_sets(context, pipeline),
        answers=pipeline.answers,
        time_check=TimeCheck(clock, context.connection, mark=context.spool.mark_clock),
        log_readers=settings.log_tails.at_once,
        shutdown=settings.shutdown,
    )


def _gauges(context: Context, pipeline: Pipeline, watch_set: WatchSet) -> Gauges:
    return Gauges(
        pods=pipeline.pods,
        informers=watch_set.informers,
        backlog=pipeline.controller.backlog,
        refused=lambda: pipeline.writer.problem,
        queues={"disk": pipeline.writer.waiting, **pipeline.diagnoser.queues()},
        clock=context.clock,
        others=() if pipeline.answers is None else (pipeline.answers.measure,),
    )


def _publishing(context: Context, pipeline: Pipeline, *, exclusive: bool) -> Publishing:
    return Publishing(
        context.broker,
        context.spool,
        cluster=context.settings.cluster,
        owner=context.cluster_id,
        subscriptions=context.settings.subscriptions,
        settled=pipeline.queues.release.add,
        exclusive=exclusive,
    )


def _watermark(context: Context, pipeline: Pipeline, watch_set: WatchSet) -> Watermark:
    clock = context.clock
    return Watermark(
        context.spool,
        seen=(
            lambda: pipeline.controller.cases.seen_through(clock()),
            lambda: pipeline.controller.backlog.seen_through(clock()),
            lambda: watch_set.informers.heard_through(clock()),
        ),
        clock=clock,
    )


def _rule_sets(context: Context, pipeline: Pipeline) -> RuleSetReports:
    return RuleSetReports(
        pipeline.writer.put,
        context.spool.reported().get(RULE_SETS, frozenset()),
        cluster_id=context.cluster_id,
        cluster=context.settings.cluster,
        clock=context.clock,
        rules=context.rules,
    )


def _watch_set(context: Context, pipeline: Pipeline) -> WatchSet:
    node = context.settings.one_node()
    return (
        deployment_mode(context, pipeline)
        if node is None
        else daemonset_mode(context, pipeline, node=node.name, lease=node.lease)
    )


def _leader_term(
    context: Context, pipeline: Pipeline, watch_set: WatchSet, *, publishing: Publishing, leadership: Leadership
) -> LeaderTerm:
    """The term of mode deployment. Until it begins, nothing is published and no pod is touched."""
    context.spool.become_standby()
    queues = pipeline.queues.all()
    for queue in queues:
        queue.only_while(lambda: leadership.epoch is not None)
    watch_set.tombstones.only_while(lambda: leadership.epoch is not None)
    return LeaderTerm(spool=context.spool, publishing=publishing, queues=queues, pods=pipeline.pods)


def _leadership(context: Context, watermark: Watermark) -> Leadership:
    """Without a lease in the settings there is one replica, which is always the leader."""
    lease = context.settings.lease
    if lease is None:
        return SoleLeader()
    timing = Timing(duration=lease.duration, every=lease.renew.total_seconds())
    return Elector(
        Leases(context.connection, lease.namespace, seconds=timing.answer),
        name=lease.name,
        me=f"{socket.gethostname()}_{context.incarnation}",
        timing=timing,
        peers=Peers(behind=watermark.behind, on_published=watermark.on_published),
        clock=context.clock,
    )


def _heartbeats(
    context: Context, nodes: Nodes, gauges: Gauges, leadership: Leadership, commands: CommandConsumer | None
) -> Heartbeats:
    return Heartbeats(
        context.broker,
        Sender(cluster_id=context.cluster_id, cluster=context.settings.cluster, incarnation=context.incarnation),
        spool=context.spool,
        nodes=nodes,
        measure=gauges.update,
        epoch=lambda: leadership.epoch,
        offer=lambda: None if commands is None else commands.offer(),
        interval=context.settings.heartbeat.interval,
        clock=context.clock,
    )


async def run(reading: Reading[Configuration], files: ClusterFiles) -> None:
    """Run until asked to stop, with settings and rules as the files say, also when they change."""
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
        clock = ServerClock()
        hear(clock, connection)
        health.rights = await stack.enter_async_context(_reviewing(connection, settings))
        identity = await unless_stopped(asked, health.identify(connection))
        if identity is not None:
            await settle(clock, connection)
            await _claim(broker, events_topic(settings.cluster), owner=identity)
            await _check_gates(connection, settings)
            context = Context(
                settings=settings,
                rules=rules,
                spool=spool,
                broker=broker,
                connection=connection,
                cluster_id=identity,
                clock=clock,
            )
            health.agent = build(context)
            reloading = reloader(reading, files, use=health.agent.use)
            await stack.enter_async_context(_running(reloading.run(), name="reload"))
            _log.info("reporting", cluster=settings.cluster, cluster_id=identity, rules=rules.revision)
            gc.collect()
            gc.freeze()  # what exists now stays permanently; a collection over it would stall the loop for 70 ms
            await health.agent.run(asked)
    _log.info("stopped")


async def _claim(broker: LazyBroker, topic: str, *, owner: str) -> None:
    """Refuse to start if the topic is another cluster's. Raises TopicTaken.

    The agent also starts if the broker is unavailable: pods are watched and spooled meanwhile.
    """
    try:
        async with asyncio.timeout(_CLAIM_SECONDS):
            await asyncio.to_thread(broker.claim, topic, owner=owner)
    except TopicTaken:
        raise
    except (BrokerError, TimeoutError) as error:
        _log.warning(
            "the owner of the topic is not known yet; it is checked again before publishing",
            topic=topic,
            error=str(error) or f"no answer from the broker within {_CLAIM_SECONDS:g} s",
        )


async def _check_gates(connection: Connection, settings: ClusterSettings) -> None:
    """Refuse to start if runs cannot be taken. Raises NoGates; what is not known yet is asked again later."""
    if settings.run.max_runs is not None:
        await GateProbe(GatedPods(connection), settings.run.namespaces).probe()


@asynccontextmanager
async def _reviewing(connection: Connection, settings: ClusterSettings) -> AsyncIterator[PermissionReview]:
    rights = PermissionReview(
        lambda access: is_granted(connection, access),
        needed=needed(settings),
        used_if_granted=used_if_granted(settings),
        interval=settings.rights_review.total_seconds(),
    )
    connection.on_forbidden(rights.refused)
    async with _running(rights.run(), name="rights"):
        yield rights


@asynccontextmanager
async def _running(work: Coroutine[None, None, None], *, name: str) -> AsyncIterator[None]:
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
