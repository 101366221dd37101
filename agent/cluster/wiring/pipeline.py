"""The parts from a change of a pod to the spool and back to the pod, the same in every mode."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import assert_never

from agent.broker.port import Broker
from agent.cluster.actions.delete import delete_queue
from agent.cluster.actions.finalizer import add_queue, remove_queue
from agent.cluster.actions.removal import Removals, RunRole
from agent.cluster.actions.workqueue import PodWorkqueue
from agent.cluster.admission.answers import ConditionAnswers
from agent.cluster.admission.webhook import make_answers
from agent.cluster.config.checks import deadlines_of, failed_pod_checks, pending_pod_checks
from agent.cluster.config.rules import RulesInForce
from agent.cluster.controller import PodController
from agent.cluster.diagnosis.amendments import Amendments
from agent.cluster.diagnosis.diagnoser import Diagnoser
from agent.cluster.diagnosis.evidence_wait import EvidenceWait
from agent.cluster.diagnosis.never_created import NeverCreated
from agent.cluster.diagnosis.report import Diagnosis, no_conditions
from agent.cluster.evidence.case import OpenCases
from agent.cluster.evidence.event_list import EventList, RateLimit
from agent.cluster.evidence.events import EventCache
from agent.cluster.evidence.gather import EvidenceGatherer, Source, make_gatherer
from agent.cluster.evidence.log_tails import LogTails
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.publish.publisher import SafePods
from agent.cluster.runs.envelope import Envelope
from agent.cluster.runs.reports import RunReports
from agent.cluster.spool.entries import LISTS, RULE_SETS
from agent.cluster.spool.spool import Spool
from agent.cluster.spool.writer import SpoolWriter
from agent.kube.connection import Connection
from agent.kube.events import EventReader
from agent.kube.logs import LogReader
from agent.kube.pods import PodReader, PodWriter
from agent.process.server_clock import ServerClock
from agent.settings.cluster import ClusterSettings, LogTailSettings
from agent.settings.modes import DeploymentMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What every part is made from. ``incarnation`` names this process; ``clock`` is the one clock of the agent."""

    settings: ClusterSettings
    rules: RulesInForce
    spool: Spool
    broker: Broker
    connection: Connection
    cluster_id: str
    incarnation: str = field(default_factory=lambda: uuid.uuid4().hex)
    clock: ServerClock = field(default_factory=ServerClock)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodQueues:
    """The workqueues of what is done to pods: our finalizer put on, taken off, and the pod deleted."""

    hold: PodWorkqueue
    release: PodWorkqueue
    delete: PodWorkqueue

    def all(self) -> tuple[PodWorkqueue, ...]:
        return self.hold, self.release, self.delete


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    pods: PodRegistry
    gatherer: EvidenceGatherer
    queues: PodQueues
    writer: SpoolWriter
    diagnoser: Diagnoser
    never_created: NeverCreated
    controller: PodController
    run_reports: RunReports
    answers: ConditionAnswers | None
    """Decides which conditions failing pods get, if settings ask for that; in mode daemonset only for the reports."""


def make_pipeline(context: Context) -> Pipeline:
    """Make the parts, with the pods that the spool knows. Raises SpoolError for an entry that cannot be read."""
    settings, spool, pods = context.settings, context.spool, _registry(context)
    gatherer = make_gatherer(settings)
    answers = make_answers(settings, context.rules, gatherer, clock=context.clock)
    role = RunRole(namespaces=settings.run.namespaces, label=settings.run.label)
    at_most, waiting = settings.spool.commit_at_most, settings.bounds.unspooled
    writer = SpoolWriter(spool, clock=context.clock, at_most=at_most, waiting=waiting)
    queues = _queues(context, pods, writer)
    removals = Removals(
        role, spool, queues.delete, expiry=settings.stuck_terminating_pod_expiry, doubt=context.clock.doubt
    )
    diagnoser = _diagnoser(context, pods, gatherer, writer=writer, removals=removals, answers=answers)
    run_reports = RunReports(envelope_of(context), put=writer.put)
    controller = PodController(
        pods=pods,
        cases=OpenCases(cluster_id=context.cluster_id),
        gatherer=gatherer,
        diagnoser=diagnoser,
        removals=removals,
        writer=writer,
        hold_queue=queues.hold,
        release_queue=queues.release,
        deadlines=deadlines_of(settings.deadlines),
        checks=pending_pod_checks(settings.pending_pod_checks),
        lookup=PodReader(context.connection),
        clock=context.clock,
        doubt=context.clock.doubt,
        runs=run_reports,
    )
    return Pipeline(
        pods=pods,
        gatherer=gatherer,
        queues=queues,
        writer=writer,
        diagnoser=diagnoser,
        never_created=_never_created(context, diagnoser, writer),
        controller=controller,
        run_reports=run_reports,
        answers=answers,
    )


def _registry(context: Context) -> PodRegistry:
    spool, now = context.spool, context.clock()
    pods = PodRegistry(kill_timeout=context.settings.run.pod_kill_timeout, doubt=context.clock.doubt)
    pods.restore(spool.known(), spool.reported(), counted_from=None if spool.clock_was_right(now=now) else now)
    return pods


def envelope_of(context: Context) -> Envelope:
    return Envelope(
        cluster_id=context.cluster_id,
        cluster=context.settings.cluster,
        clock=context.clock,
        new_id=lambda: uuid.uuid4().hex,
    )


def _diagnoser(
    context: Context,
    pods: PodRegistry,
    gatherer: EvidenceGatherer,
    *,
    writer: SpoolWriter,
    removals: Removals,
    answers: ConditionAnswers | None,
) -> Diagnoser:
    settings, bounds = context.settings, context.settings.bounds
    return Diagnoser(
        pods=pods,
        gatherer=gatherer,
        diagnosis=_diagnosis(context, answers),
        writer=writer,
        evidence_wait=EvidenceWait(wait=_late_events(settings), at_most=bounds.waiting),
        sources=_sources(context, gatherer.events),
        removals=removals,
        amendments=Amendments(at_most=bounds.amendable),
        checks=failed_pod_checks(settings.failed_pod_checks),
        clock=context.clock,
    )


def _never_created(context: Context, diagnoser: Diagnoser, writer: SpoolWriter) -> NeverCreated:
    bounds, spool = context.settings.bounds, context.spool
    made = NeverCreated(
        lambda: diagnoser.diagnosis,
        writer,
        identities=context.settings.identity.rules(),
        at_most=bounds.things,
        age=bounds.event_age,
        clock=context.clock,
    )
    made.restore(spool.reported(), pods=[RULE_SETS, LISTS, *(known.uid for known in spool.known())])
    return made


def _queues(context: Context, pods: PodRegistry, writer: SpoolWriter) -> PodQueues:
    writing = PodWriter(context.connection)
    safe = SafePods(context.spool, context.settings.release)
    return PodQueues(
        hold=add_queue(writing, pods, clock=context.clock),
        release=remove_queue(writing, pods, safe, drained=writer.drained, clock=context.clock),
        delete=delete_queue(writing, pods, clock=context.clock),
    )


def _diagnosis(context: Context, answers: ConditionAnswers | None) -> Diagnosis:
    return Diagnosis(
        cluster_id=context.cluster_id,
        cluster=context.settings.cluster,
        classifier=context.rules.classifier,
        redactor=context.rules.redactor,
        slow_rules=context.rules.slow,
        shadowed=no_conditions if answers is None else answers.shadowed,
    )


def _late_events(settings: ClusterSettings) -> timedelta:
    """How long late events are waited for: not at all where events are not watched, because none would come."""
    match settings.mode:
        case DeploymentMode.DEPLOYMENT:
            return settings.evidence_wait
        case DeploymentMode.DAEMONSET:
            return timedelta(0)
        case _:
            assert_never(settings.mode)


def _sources(context: Context, cache: EventCache) -> Sequence[Source]:
    settings = context.settings
    log_tails = (_log_tails(settings.log_tails, context.connection),) if settings.log_tails.namespaces else ()
    match settings.mode:
        case DeploymentMode.DEPLOYMENT:
            return log_tails
        case DeploymentMode.DAEMONSET:
            return (_event_list(context, cache), *log_tails)
        case _:
            assert_never(settings.mode)


def _event_list(context: Context, cache: EventCache) -> EventList:
    node = context.settings.node
    return EventList(
        EventReader(context.connection, types=context.settings.watch.event_types),
        cache,
        rate_limit=RateLimit(per_second=node.events_per_second),
        deadline=node.events_deadline.total_seconds(),
        clock=context.clock,
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
