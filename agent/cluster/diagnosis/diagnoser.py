"""A case is classified, waits for late evidence if that may help, and is reported, held or amended.

An amendment is evidence only (docs/protocol.md: late-evidence-decides-nothing).
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import structlog

from agent.cluster.actions.removal import Removals
from agent.cluster.config.rules import RulesInForce
from agent.cluster.diagnosis.amendments import Amendments, Reported
from agent.cluster.diagnosis.evidence_wait import EvidenceWait
from agent.cluster.diagnosis.report import Diagnosis
from agent.cluster.evidence.case import Case
from agent.cluster.evidence.gather import EvidenceGatherer, Source, read_on_demand
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.spool.entries import Held, Report
from agent.cluster.spool.writer import SpoolWriter
from agent.core.evidence import Evidence
from agent.core.failure import Classification, Failure, Occurrence
from agent.core.summary.summary import is_worth_amending
from agent.kube import objects
from agent.observe.checks.failed import FailedPodChecks, check_failed
from agent.observe.checks.finding import Found
from agent.observe.removal import plan_removal
from agent.telemetry import admission_metrics
from agent.telemetry import cluster_metrics as metrics

Clock = Callable[[], datetime]

_log = structlog.get_logger(__name__)
_LOGS_QUEUED: Final = 16
"""How many cases may wait for a log reader. Beyond that ``begin`` waits, and with it the watch: a burst is bounded."""


class Diagnoser:
    """Takes cases and gives their reports to the spool's writer.

    ``wake`` is set when a case begins to wait, because ``next`` may be earlier then: a case whose log was read is
    diagnosed after the loop that looks at ``next`` went to sleep.
    """

    def __init__(  # noqa: PLR0913 - its collaborators; only app.py and tests put them together
        self,
        *,
        pods: PodRegistry,
        gatherer: EvidenceGatherer,
        diagnosis: Diagnosis,
        writer: SpoolWriter,
        evidence_wait: EvidenceWait,
        sources: Sequence[Source],
        removals: Removals,
        amendments: Amendments,
        checks: FailedPodChecks,
        clock: Clock,
    ) -> None:
        self.diagnosis = diagnosis
        self.wake: Final = asyncio.Event()
        self._pods = pods
        self._gatherer = gatherer
        self._writer = writer
        self._evidence_wait = evidence_wait
        self._sources = sources
        self._removals = removals
        self._amendments = amendments
        self._checks = checks
        self._clock = clock
        self._logs: asyncio.Queue[Case] = asyncio.Queue(_LOGS_QUEUED)

    def use(self, rules: RulesInForce) -> None:
        """Diagnose by these rules from the next case on."""
        self.diagnosis = replace(
            self.diagnosis, classifier=rules.classifier, redactor=rules.redactor, slow_rules=rules.slow
        )

    def queues(self) -> Mapping[str, Callable[[], int]]:
        """How many cases wait, by what for."""
        return {"log tail": self._logs.qsize, "late events": self._evidence_wait.__len__}

    async def begin(self, case: Case) -> None:
        """Diagnose a new case, as of when it was observed; or have its logs read first."""
        metrics.OCCURRENCES.labels(case.occurred.occurrence.value).inc()
        case = replace(case, submitted=self._gatherer.submitted(case.pod))
        if any(source.wanted(case) for source in self._sources):
            await self._logs.put(case)
        else:
            await self.diagnose(case, now=case.observed_at)

    async def read_logs(self) -> None:
        """Read on-demand evidence of one case after the other, until cancelled. Run one of these per allowed reader."""
        while True:
            case = await self._logs.get()
            try:
                await self.diagnose(await read_on_demand(case, self._sources), now=self._clock())
            finally:
                self._logs.task_done()

    async def diagnose_due(self, now: datetime) -> None:
        """Diagnose the cases that have waited long enough."""
        for case in self._evidence_wait.take_due(now):
            await self.diagnose(case, now=now)

    def next(self) -> datetime | None:
        """When the first case will have waited long enough."""
        return self._evidence_wait.next()

    async def finish(self) -> None:
        """Report every case under way without waiting for more evidence. Call when no more changes come."""
        await self._logs.join()
        self._evidence_wait.close()
        for case in self._evidence_wait.take_all():
            await self.diagnose(case, now=self._clock())

    async def on_event(self, uid: str, *, warning: bool, now: datetime) -> None:
        """There is an event about a pod: diagnose its waiting cases again; a warning may amend reported ones."""
        for case in self._evidence_wait.take_pod(uid):
            await self.diagnose(case, now=now)
        if warning:
            await self.amend(uid, None, now=now)

    async def diagnose(self, case: Case, *, now: datetime) -> None:
        """Report the case, or let it wait. A case that raises stays under way, so that its pod is not released."""
        try:
            await self._report_or_wait(case, now=now)
        except Exception:  # noqa: BLE001 - one unforeseen failure must not end the watch of all others
            metrics.BAD_OBJECTS.labels("failure").inc()
            _log.exception(
                "a failure could not be reported; its pod is kept, and the next process tries again",
                pod=case.entry.reference.name,
            )

    async def amend(self, uid: str, pod: objects.Pod | None, *, now: datetime) -> None:
        """Report again, once, a case that gets another category. ``pod``: its state, if that is the late evidence.

        What a pod shows after the agent asked for its deletion follows from that.
        """
        tracked = self._pods.get(uid)
        if pod is not None and tracked is not None and tracked.entry.stopping:
            return
        for reported in self._amendments.of_pod(uid, now=now):
            if pod is None or pod.status != reported.case.pod.status:
                await self._safely_amend(reported, pod)

    async def _report_or_wait(self, case: Case, *, now: datetime) -> None:
        evidence, given = await self._classify(case)
        # Weak: the rule matched only something generic, such as an exit code, which nearly every failure has. An
        # event that knows the cause may come a moment later. After a strong match there is nothing to wait for.
        if given.matched and not given.weak:
            self._report(case, evidence, given, now=now)
        elif (ready := self._evidence_wait.wait(case, now=now)) is not None:
            self._report(ready, self._gatherer.gather(ready), given, now=now)
        else:
            self.wake.set()

    async def _classify(self, case: Case) -> tuple[Evidence, Classification]:
        evidence = self._gatherer.gather(case)
        return evidence, await self.diagnosis.classify(evidence)

    def _report(self, case: Case, evidence: Evidence, given: Classification, *, now: datetime) -> None:
        for missing in evidence.missing:
            metrics.MISSING_EVIDENCE.labels(missing.what.partition(" of ")[0]).inc()
        tracked = self._pods.get(case.pod_uid)
        if tracked is None:
            raise RuntimeError(f"a pod was forgotten while a case of it was under way: {case.pod_uid}")
        found = self._found(case)
        check = None if found is None else found.finding
        failure, report = self.diagnosis.report(case, evidence, given, check=check)
        _count_disagreeing(failure)
        result = failure.classification
        removal = plan_removal(case.occurred.occurrence, action=result.action, check=check)
        if removal is not None and self._removals.begin(tracked, case, removal, result, now=now):
            self._spool(tracked, Held(report=report))
        else:
            metrics.record_failure(result.category, result.subcategory, origin=result.origin)
            self._amendments.add(case, result, now=now)
            self._spool(tracked, report)

    def _spool(self, tracked: TrackedPod, report: Report | Held) -> None:
        tracked.reported()
        if tracked.working:
            self._writer.put(report)
        else:
            self._writer.put(report, self._pods.settle(tracked))  # one transaction: never the entry without the report

    def _found(self, case: Case) -> Found | None:
        """What a check from settings found: the pending check that gave the pod up, or one of those of failed pods."""
        if case.occurred.occurrence is not Occurrence.POD_FAILED:
            return case.occurred.found
        return check_failed(case.pod, self._gatherer.events_of(case), checks=self._checks) if self._checks else None

    async def _safely_amend(self, reported: Reported, pod: objects.Pod | None) -> None:
        try:
            await self._amend(reported if pod is None else replace(reported, case=replace(reported.case, pod=pod)))
        except Exception:  # noqa: BLE001 - one unforeseen failure must not end the watch of all others
            metrics.BAD_OBJECTS.labels("failure").inc()
            _log.exception("a failure could not be amended; the report is kept", pod=reported.case.entry.reference.name)

    async def _amend(self, reported: Reported) -> None:
        evidence, given = await self._classify(reported.case)
        tracked = self._pods.get(reported.case.pod_uid)
        if tracked is None or tracked.left or not is_worth_amending(given, reported=reported.given):
            return
        self._amendments.amended(reported)
        amendment = self.diagnosis.amendment(reported.case, evidence, given)
        tracked.amended()
        self._writer.put(amendment)
        metrics.AMENDMENTS.inc()


def _count_disagreeing(failure: Failure) -> None:
    """Count the conditions that the pod got and that the report does not agree with."""
    if failure.admission is not None:
        for kind in failure.admission.disagreeing:
            admission_metrics.DISAGREED.labels(kind).inc()
