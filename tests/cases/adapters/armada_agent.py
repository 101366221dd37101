"""The cluster agent in the run role over a few plain pods, moved on pass by pass at a clock of its own.

A pass is one tick of Armada's issue handler: what is new is observed and judged, what is due is spooled and, where
the broker is there, published, and then pods are held, deleted and released.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.cluster.actions.delete import delete_queue
from agent.cluster.actions.finalizer import add_queue, remove_queue
from agent.cluster.actions.removal import Removals, RunRole
from agent.cluster.actions.workqueue import PodWorkqueue
from agent.cluster.config.checks import failed_pod_checks, pending_pod_checks
from agent.cluster.controller import PodController
from agent.cluster.diagnosis.amendments import Amendments
from agent.cluster.diagnosis.diagnoser import Diagnoser
from agent.cluster.diagnosis.evidence_wait import EvidenceWait
from agent.cluster.diagnosis.report import Diagnosis
from agent.cluster.evidence.case import OpenCases
from agent.cluster.evidence.events import EventCache
from agent.cluster.evidence.gather import EvidenceGatherer
from agent.cluster.evidence.nodes import Nodes
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.publish.publisher import SafePods
from agent.cluster.runs.envelope import Envelope
from agent.cluster.runs.reports import RunReports
from agent.cluster.spool.spool import Spool
from agent.cluster.spool.writer import SpoolWriter
from agent.core.classify.classifier import compile_rules
from agent.core.failure import Failure
from agent.core.run_event import RunEvent
from agent.core.summary.redaction import Redactor
from agent.kube import objects
from agent.kube.reflector.cache import Change, ChangeKind
from agent.manifests.categories.packs import load_categories
from agent.observe.deadlines import Deadlines
from agent.patterns import BacktrackingSearches
from agent.settings.base import parse_duration
from agent.settings.cluster import Release
from agent.settings.pod_checks import FailedPodCheckSettings, PendingPodCheckSettings
from agent.wire import events as wire
from tests.cases.adapters.armada_cluster import PlainCluster

RUN_LABEL = "armada_job_run_id"
NAMESPACE = "jobs"
START = datetime(2026, 11, 21, 12, tzinfo=UTC)
PASS = timedelta(seconds=10)
_HOUR = timedelta(hours=1)
_NOTHING = "0s"


@dataclass(slots=True)
class Clock:
    """A clock that moves only by hand."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def advance_to(self, minutes: float) -> None:
        """Go to so many minutes after the start, unless it is later already."""
        self.now = max(self.now, START + timedelta(minutes=minutes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Where events come from, if they do. Fits ``Listing`` of the surroundings."""

    events: bool

    def no_events(self) -> str | None:
        return None if self.events else "told to be away"

    def no_nodes(self) -> str | None:
        return None

    @property
    def complete(self) -> bool:
        return self.events


@dataclass(slots=True, kw_only=True)
class SteppedAgent:
    """The agent's parts, and what its broker was given."""

    cluster: PlainCluster
    clock: Clock
    spool: Spool
    pods: PodRegistry
    controller: PodController
    writer: SpoolWriter
    queues: Mapping[str, Any]
    reported: list[RunEvent] = field(default_factory=list)

    async def hear(self, events: Sequence[objects.Event]) -> None:
        for event in events:
            uid = event.metadata.uid or ""
            await self.controller.on_event(Change(kind=ChangeKind.ADDED, object=event, uid=uid, previous=None))

    async def one_pass(self, *, broker: bool = True) -> None:
        await self._observe()
        await self.controller.reconcile_due()
        await self.controller.refetch.work()
        await self.writer.drained()
        if broker:
            self._publish()
        await self.queues["release"].work()
        await self.queues["hold"].work()
        await self._observe()
        await self.queues["delete"].work()
        self.clock.now += PASS

    def failures(self) -> list[Failure]:
        """What the broker was told of."""
        return [event.event for event in self.reported if isinstance(event.event, Failure)]

    def being_removed(self) -> list[TrackedPod]:
        """Pods that are being taken away."""
        return [tracked for tracked in self.pods if tracked.entry.removal is not None]

    def resolved(self) -> bool:
        """Whether nothing is being taken away, and the broker has everything."""
        return not self.being_removed() and self.spool.state().waiting == 0

    async def _observe(self) -> None:
        while (change := self.cluster.news()) is not None:
            await self.controller.on_pod(change)
            await self.writer.drained()

    def _publish(self) -> None:
        rows = self.spool.unacknowledged(after=0, at_most=1000)
        self.reported.extend(wire.decode(row.payload) for row in rows)
        self.spool.acknowledge([row.sequence for row in rows])


@asynccontextmanager
async def stepped_agent(
    folder: Path, *, categories: Mapping[str, Any], checks: Mapping[str, Any], events: bool = True
) -> AsyncIterator[SteppedAgent]:
    """An agent with these error categories and Armada's ``kubernetes`` settings. ``events``: whether they come."""
    clock = Clock()
    cluster = PlainCluster(clock)
    spool = Spool.open(folder / "spool.db", cluster="cases", max_bytes=1 << 30, keep_acknowledged=100)
    try:
        agent = _build(cluster, spool, clock, categories=categories, checks=checks, events=events)
        spool.on_settled(agent.queues["release"].add)
        writing = asyncio.create_task(agent.writer.run(agent.controller.saved))
        yield agent
        writing.cancel()
        with suppress(asyncio.CancelledError):
            await writing
    finally:
        spool.close()


def _build(
    cluster: PlainCluster,
    spool: Spool,
    clock: Clock,
    *,
    categories: Mapping[str, Any],
    checks: Mapping[str, Any],
    events: bool,
) -> SteppedAgent:
    expiry = parse_duration(checks.get("stuckTerminatingPodExpiry", "3m"))
    pods = PodRegistry(kill_timeout=parse_duration(checks.get("podKillTimeout", "30s")))
    writer = SpoolWriter(spool, clock=clock, at_most=100, waiting=100)
    queues = _queues(cluster, pods, spool, writer, clock=clock)
    gatherer = EvidenceGatherer(
        events=EventCache(things=100, age=_HOUR),
        nodes=Nodes(age=_HOUR),
        injected=(),
        listing=Listing(events=events),
    )
    role = RunRole(namespaces=[NAMESPACE], label=RUN_LABEL)
    removals = Removals(role, spool, queues["delete"], expiry=expiry, doubt=lambda: None)
    diagnoser = Diagnoser(
        pods=pods,
        gatherer=gatherer,
        diagnosis=_diagnosis(categories),
        writer=writer,
        evidence_wait=EvidenceWait(wait=timedelta(0), at_most=100),
        sources=(),
        removals=removals,
        amendments=Amendments(at_most=0),
        checks=failed_pod_checks(_failed_checks(checks)),
        clock=clock,
    )
    controller = PodController(
        pods=pods,
        cases=OpenCases(cluster_id="cases"),
        gatherer=gatherer,
        diagnoser=diagnoser,
        removals=removals,
        writer=writer,
        hold_queue=queues["hold"],
        release_queue=queues["release"],
        deadlines=Deadlines(unschedulable=None, preparing=None, active_margin=expiry, terminating_margin=expiry),
        checks=pending_pod_checks(_pending_checks(checks)),
        lookup=cluster,
        clock=clock,
        doubt=lambda: None,
        runs=RunReports(
            Envelope(cluster_id="cases", cluster="cases", clock=clock, new_id=lambda: "answer"), put=writer.put
        ),
    )
    return SteppedAgent(
        cluster=cluster, clock=clock, spool=spool, pods=pods, controller=controller, writer=writer, queues=queues
    )


def _queues(
    cluster: PlainCluster, pods: PodRegistry, spool: Spool, writer: SpoolWriter, *, clock: Clock
) -> dict[str, PodWorkqueue]:
    safe = SafePods(spool, Release.PUBLISHED)
    return {
        "hold": add_queue(cluster, pods, clock=clock),
        "release": remove_queue(cluster, pods, safe, drained=writer.drained, clock=clock),
        "delete": delete_queue(cluster, pods, clock=clock),
    }


def _diagnosis(categories: Mapping[str, Any]) -> Diagnosis:
    rules = load_categories(json.dumps(categories, ensure_ascii=False), file="errorCategories.json")
    classifier = compile_rules(rules, searches=BacktrackingSearches(clock=time.monotonic))
    return Diagnosis(cluster_id="cases", cluster="cases", classifier=classifier, redactor=Redactor(), slow_rules=False)


def _pending_checks(checks: Mapping[str, Any]) -> PendingPodCheckSettings:
    """Armada's deadlines that are not given are 0, which is not never."""
    given = checks.get("pendingPodChecks") or {}
    zeros = {"deadlineForUpdates": _NOTHING, "deadlineForNodeAssignment": _NOTHING} if given else {}
    return PendingPodCheckSettings.model_validate_json(json.dumps(zeros | given))


def _failed_checks(checks: Mapping[str, Any]) -> FailedPodCheckSettings:
    return FailedPodCheckSettings.model_validate_json(json.dumps(checks.get("failedPodChecks") or {}))
