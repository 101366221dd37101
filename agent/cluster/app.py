"""``failure-agent cluster``: the parts wired together, from settings to a process that can be stopped."""

import argparse
import asyncio
import os
import sys
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from agent.broker.connect import BadAddress
from agent.broker.port import Broker, BrokerError
from agent.cluster.agent import Agent, Health
from agent.cluster.diagnosis import Diagnosis
from agent.cluster.doubts import Doubts
from agent.cluster.finalizer import holder, releaser
from agent.cluster.gauges import Gauges
from agent.cluster.heartbeat import Heartbeats, Sender
from agent.cluster.late_broker import LateBroker
from agent.cluster.log_tails import LogTails
from agent.cluster.nodes import Nodes
from agent.cluster.publish import Publishing, SafePods
from agent.cluster.recent_events import RecentEvents
from agent.cluster.report import Reporter
from agent.cluster.rulebook import Rulebook, read_rulebook
from agent.cluster.spool import Spool
from agent.cluster.spool_schema import SpoolError
from agent.cluster.stopping import asked_to_stop, unless
from agent.cluster.surroundings import Surroundings
from agent.cluster.waiting import WaitingRoom
from agent.cluster.watch import watch
from agent.cluster.watched import WatchedPods
from agent.cluster.writer import SpoolWriter
from agent.kube.connection import Connection
from agent.kube.credentials import ConfigurationError
from agent.kube.logs import LogReader
from agent.kube.namespaces import NoIdentity
from agent.kube.pod_reader import PodReader
from agent.kube.pods import PodWriter
from agent.manifests.problem import ManifestError
from agent.observe.deadlines import Deadlines
from agent.settings import ConfigError, load
from agent.settings.cluster import ClusterSettings, DeadlineSettings, LogTailSettings
from agent.telemetry.health import HealthServer
from agent.telemetry.logs import configure

_log = structlog.get_logger(__name__)

FINE, FAILED, USAGE, UNREACHABLE = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What the parts stand on."""

    settings: ClusterSettings
    rules: Rulebook
    spool: Spool
    broker: Broker
    connection: Connection
    cluster_id: str


def build(ground: Ground) -> Agent:
    """Put the parts together. Raises SpoolError where the spool is another cluster's."""
    settings, spool, connection = ground.settings, ground.spool, ground.connection
    spool.belong_to(ground.cluster_id)
    pods = WatchedPods()
    pods.restore(spool.known(), spool.reported())
    surroundings = _surroundings(settings)
    writing = PodWriter(connection)
    hold = holder(writing, pods, clock=_now)
    release = releaser(writing, pods, SafePods(spool, settings.release), clock=_now)
    writer = SpoolWriter(spool, clock=_now, at_most=settings.spool.commit_at_most, waiting=settings.bounds.unspooled)
    reporter = Reporter(
        pods=pods,
        surroundings=surroundings,
        diagnosis=_diagnosis(ground),
        writer=writer,
        holder=hold,
        releaser=release,
        waiting=WaitingRoom(wait=settings.evidence_wait, at_most=settings.bounds.waiting),
        log_tails=_log_tails(settings.log_tails, connection),
        deadlines=_deadlines(settings.deadlines),
        clock=_now,
    )
    doubts = Doubts(PodReader(connection), pods, reporter, selective=settings.watch.label_selector != "")
    watching = watch(
        connection, settings.watch, on_pod=doubts.on_pod, on_event=reporter.on_event, on_node=reporter.on_node
    )
    surroundings.listing = watching
    return Agent(
        watch=watching,
        doubts=doubts,
        reporter=reporter,
        writer=writer,
        chores=(hold, release),
        publishing=Publishing(ground.broker, spool, cluster=settings.cluster, settled=release.consider),
        heartbeats=_heartbeats(ground, surroundings.nodes, Gauges(pods=pods, watch=watching, clock=_now)),
        log_readers=settings.log_tails.at_once,
        shutdown=settings.shutdown,
    )


def _surroundings(settings: ClusterSettings) -> Surroundings:
    return Surroundings(
        events=RecentEvents(things=settings.bounds.things, age=settings.bounds.event_age),
        nodes=Nodes(age=settings.bounds.event_age),
        injected=settings.containers.injected,
    )


def _diagnosis(ground: Ground) -> Diagnosis:
    return Diagnosis(
        cluster_id=ground.cluster_id,
        cluster=ground.settings.cluster,
        classifier=ground.rules.classifier,
        redactor=ground.rules.redactor,
        slow_rules=ground.rules.slow,
    )


def _log_tails(settings: LogTailSettings, connection: Connection) -> LogTails:
    return LogTails(
        LogReader(connection, concurrent=settings.at_once),
        namespaces=settings.namespaces,
        lines=settings.lines,
        max_bytes=settings.max_bytes,
        deadline=settings.deadline.total_seconds(),
    )


def _heartbeats(ground: Ground, nodes: Nodes, gauges: Gauges) -> Heartbeats:
    return Heartbeats(
        ground.broker,
        Sender(cluster_id=ground.cluster_id, cluster=ground.settings.cluster, incarnation=uuid.uuid4().hex),
        spool=ground.spool,
        nodes=nodes,
        measure=gauges.update,
        interval=ground.settings.heartbeat.interval,
        clock=_now,
    )


async def run(settings: ClusterSettings) -> int:
    """Run until asked to stop; gives the exit code."""
    rules = read_rulebook(settings.categories, settings.redaction)
    async with AsyncExitStack() as stack:
        asked = stack.enter_context(asked_to_stop())
        spool = _open_spool(settings)
        stack.callback(spool.close)
        broker = LateBroker.open(settings.broker.url)
        stack.callback(broker.close)
        health = Health(broker)
        server = HealthServer(settings.health.host, settings.health.port, health.ready(), alive=health.alive())
        stack.enter_context(server)
        _log.info("health is served", host=settings.health.host, port=server.port)
        connection = await stack.enter_async_context(await Connection.open(settings.kube))
        identity = await unless(asked, health.identify(connection))
        if identity is not None:
            ground = Ground(
                settings=settings, rules=rules, spool=spool, broker=broker, connection=connection, cluster_id=identity
            )
            health.agent = build(ground)
            _log.info("reporting", cluster=settings.cluster, cluster_id=identity, rules=rules.revision)
            await health.agent.run(asked)
    _log.info("stopped")
    return FINE


def _open_spool(settings: ClusterSettings) -> Spool:
    return Spool.open(
        settings.spool.path,
        cluster=settings.cluster,
        max_bytes=settings.spool.max_bytes,
        keep_acknowledged=settings.spool.keep_acknowledged,
    )


def main(argv: Sequence[str]) -> int:
    """Run the process; gives the exit code: 0 fine, 1 failed, 2 wrong usage or settings, 3 unreachable."""
    given = _parser().parse_args(argv)
    overrides = {
        "kube.kubeconfig": given.kubeconfig,
        "kube.context": given.context,
        "kube.url": given.url,
        "broker.url": given.broker,
    }
    try:
        settings = load(ClusterSettings, given.settings, os.environ, overrides)
        configure(settings.log.level, settings.log.format)
        return asyncio.run(run(settings))
    except (ConfigError, ManifestError, ConfigurationError, BadAddress) as error:
        return _complain(error, USAGE)
    except (BrokerError, NoIdentity) as error:
        return _complain(error, UNREACHABLE)
    except (SpoolError, OSError) as error:
        return _complain(error, FAILED)
    except ExceptionGroup:
        _log.exception("a part of the agent broke; what is on disk is as after a crash")
        return FAILED


def _complain(error: Exception, code: int) -> int:
    sys.stderr.write(f"{error}\n")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="failure-agent cluster", description="Watch a cluster and report why its pods fail."
    )
    parser.add_argument("--settings", type=Path, metavar="FILE", help="settings in YAML")
    parser.add_argument("--kubeconfig", metavar="FILE", help="overrides kube.kubeconfig")
    parser.add_argument("--context", metavar="NAME", help="overrides kube.context")
    parser.add_argument("--url", metavar="URL", help="an API server without credentials; overrides kube.url")
    parser.add_argument("--broker", metavar="URL", help="the broker; overrides broker.url")
    return parser


def _deadlines(settings: DeadlineSettings) -> Deadlines:
    return Deadlines(
        unschedulable=settings.unschedulable,
        preparing=settings.preparing,
        image=settings.image,
        config=settings.config,
        create=settings.create,
        init_crash_loop=settings.init_crash_loop,
        init_running=settings.init_running,
        active_margin=settings.active_grace,
        terminating_margin=settings.terminating_grace,
    )


def _now() -> datetime:
    return datetime.now(UTC)
