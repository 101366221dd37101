"""The parts from a change of a pod to the spool and back to the pod, the same in every mode."""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

from agent.cluster.amendments import Amendments
from agent.cluster.chores import PodChores
from agent.cluster.deadlines import deadlines_of
from agent.cluster.diagnosis import Diagnosis
from agent.cluster.event_lookup import EventLookup, Turns
from agent.cluster.finalizer import holder, releaser
from agent.cluster.ground import Ground
from agent.cluster.judging import Judging
from agent.cluster.log_tails import LogTails
from agent.cluster.nodes import Nodes
from agent.cluster.on_demand import OnDemand, Source
from agent.cluster.ours import RunRole
from agent.cluster.owners import Owners
from agent.cluster.pod_checks import failed_pod_checks, pending_pod_checks
from agent.cluster.publish import SafePods
from agent.cluster.recent_events import RecentEvents
from agent.cluster.removals import Removals
from agent.cluster.remover import remover
from agent.cluster.report import Reporter
from agent.cluster.surroundings import Surroundings
from agent.cluster.waiting import WaitingRoom
from agent.cluster.watched import WatchedPods
from agent.cluster.writer import SpoolWriter
from agent.kube.connection import Connection
from agent.kube.events import EventReader
from agent.kube.logs import LogReader
from agent.kube.pods import PodReader, PodWriter
from agent.settings.cluster import ClusterSettings, LogTailSettings
from agent.settings.modes import DeploymentMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Chores:
    """What is done to pods."""

    hold: PodChores
    release: PodChores
    remove: PodChores

    def all(self) -> tuple[PodChores, ...]:
        """Every one."""
        return self.hold, self.release, self.remove


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What modes have in common."""

    pods: WatchedPods
    surroundings: Surroundings
    chores: Chores
    writer: SpoolWriter
    judging: Judging
    reporter: Reporter


def make_parts(ground: Ground) -> Parts:
    """Make them, with what the spool knows of pods."""
    settings, spool = ground.settings, ground.spool
    pods = WatchedPods(kill_timeout=settings.run.pod_kill_timeout)
    pods.restore(spool.known(), spool.reported())
    surroundings = _surroundings(settings)
    role = RunRole(namespaces=settings.run.namespaces, label=settings.run.label)
    bounds = settings.bounds
    writer = SpoolWriter(spool, clock=ground.clock, at_most=settings.spool.commit_at_most, waiting=bounds.unspooled)
    chores = _chores(ground, pods, writer)
    removals = Removals(role, spool, chores.remove, expiry=settings.stuck_terminating_pod_expiry)
    judging = Judging(
        pods=pods,
        surroundings=surroundings,
        diagnosis=_diagnosis(ground),
        writer=writer,
        waiting=WaitingRoom(wait=_late_events(settings), at_most=bounds.waiting),
        on_demand=_on_demand(ground, surroundings.events),
        removals=removals,
        amendments=Amendments(at_most=bounds.amendable),
        checks=failed_pod_checks(settings.failed_pod_checks),
        clock=ground.clock,
    )
    reporter = Reporter(
        pods=pods,
        surroundings=surroundings,
        judging=judging,
        removals=removals,
        writer=writer,
        holder=chores.hold,
        releaser=chores.release,
        deadlines=deadlines_of(settings.deadlines),
        checks=pending_pod_checks(settings.pending_pod_checks),
        lookup=PodReader(ground.connection),
        clock=ground.clock,
    )
    return Parts(pods=pods, surroundings=surroundings, chores=chores, writer=writer, judging=judging, reporter=reporter)


def _chores(ground: Ground, pods: WatchedPods, writer: SpoolWriter) -> Chores:
    writing = PodWriter(ground.connection)
    safe = SafePods(ground.spool, ground.settings.release)
    return Chores(
        hold=holder(writing, pods, clock=ground.clock),
        release=releaser(writing, pods, safe, drained=writer.drained, clock=ground.clock),
        remove=remover(writing, pods, clock=ground.clock),
    )


def _surroundings(settings: ClusterSettings) -> Surroundings:
    return Surroundings(
        events=RecentEvents(things=settings.bounds.things, age=settings.bounds.event_age),
        nodes=Nodes(age=settings.bounds.event_age),
        injected=settings.containers.injected,
        owners=Owners(age=settings.bounds.event_age),
        identities=settings.identity.rules(),
    )


def _diagnosis(ground: Ground) -> Diagnosis:
    return Diagnosis(
        cluster_id=ground.cluster_id,
        cluster=ground.settings.cluster,
        classifier=ground.rules.classifier,
        redactor=ground.rules.redactor,
        slow_rules=ground.rules.slow,
    )


def _late_events(settings: ClusterSettings) -> timedelta:
    """How long events are waited for: where they are not watched, none would come."""
    match settings.mode:
        case DeploymentMode.DEPLOYMENT:
            return settings.evidence_wait
        case DeploymentMode.DAEMONSET:
            return timedelta(0)
        case _:
            assert_never(settings.mode)


def _on_demand(ground: Ground, recent: RecentEvents) -> Source:
    settings = ground.settings
    log_tails = _log_tails(settings.log_tails, ground.connection)
    match settings.mode:
        case DeploymentMode.DEPLOYMENT:
            return log_tails
        case DeploymentMode.DAEMONSET:
            return OnDemand((_event_lookup(ground, recent), log_tails))
        case _:
            assert_never(settings.mode)


def _event_lookup(ground: Ground, recent: RecentEvents) -> EventLookup:
    node = ground.settings.node
    return EventLookup(
        EventReader(ground.connection, types=ground.settings.watch.event_types),
        recent,
        turns=Turns(per_second=node.events_per_second),
        deadline=node.events_deadline.total_seconds(),
        clock=ground.clock,
        monotonic=time.monotonic,
    )


def _log_tails(settings: LogTailSettings, connection: Connection) -> LogTails:
    return LogTails(
        LogReader(connection, concurrent=settings.at_once),
        namespaces=settings.namespaces,
        lines=settings.lines,
        max_bytes=settings.max_bytes,
        deadline=settings.deadline.total_seconds(),
    )
