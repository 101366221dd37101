"""From evidence to what is spooled: classify, summarise, write."""

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from agent.cluster.evidence.case import Case
from agent.cluster.spool.entries import Report, event_report
from agent.core.admission.conditions import admission_of
from agent.core.classify.classifier import Classifier
from agent.core.evidence import Evidence
from agent.core.failure import Admission, CheckFinding, Classification, Failure
from agent.core.run_event import Amendment, RunEvent
from agent.core.summary.redaction import Redactor
from agent.core.summary.summary import summarise
from agent.kube import objects
from agent.observe.event_id import amendment_id
from agent.observe.values import our_conditions
from agent.telemetry import cluster_metrics as metrics


def no_conditions(pod: objects.Pod) -> Collection[str]:
    """What pods would have got where no webhook only counts."""
    del pod
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Applies the rules in force. ``slow_rules``: some backtrack and may take long, so a thread classifies.

    ``shadowed`` gives the types of the conditions that a pod would have got if the webhook did not only count.
    """

    cluster_id: str
    cluster: str
    classifier: Classifier
    redactor: Redactor
    slow_rules: bool
    shadowed: Callable[[objects.Pod], Collection[str]] = no_conditions

    async def classify(self, evidence: Evidence) -> Classification:
        begun = time.perf_counter()
        if self.slow_rules:
            given = await asyncio.to_thread(self.classifier.classify, evidence)
        else:
            given = self.classifier.classify(evidence)
        metrics.record_classification(time.perf_counter() - begun, category=given.category)
        return given

    def report(
        self, case: Case, evidence: Evidence, given: Classification, *, check: CheckFinding | None
    ) -> tuple[Failure, Report]:
        """The failure that the case is about, and the event that reports it."""
        failure = self._failure(case, evidence, given, check=check)
        return failure, event_report(self._event(case, case.event_id, failure))

    def amendment(self, case: Case, evidence: Evidence, given: Classification) -> Report:
        """The event that reports the case again, with what came late; it has an id of its own."""
        amendment = Amendment(amends=case.event_id, failure=self._failure(case, evidence, given, check=None))
        return event_report(self._event(case, amendment_id(case.event_id), amendment))

    def _failure(self, case: Case, evidence: Evidence, given: Classification, *, check: CheckFinding | None) -> Failure:
        """Redacted and bounded."""
        return summarise(
            evidence,
            given,
            occurrence=case.occurred.occurrence,
            submitted=case.submitted,
            redactor=self.redactor,
            check=check,
            admission=self._admission(case.pod, given),
        )

    def _admission(self, pod: objects.Pod, given: Classification) -> Admission | None:
        """The conditions that the pod got or would have got, compared with what the rules say now."""
        if (got := our_conditions(pod)) and (admission := admission_of(got, given)) is not None:
            return admission
        return admission_of(self.shadowed(pod), given, shadow=True)

    def _event(self, case: Case, event_id: str, event: Failure | Amendment) -> RunEvent:
        return RunEvent(
            event_id=event_id,
            cluster_id=self.cluster_id,
            cluster=self.cluster,
            identity=case.entry.identity,
            pod=case.entry.reference,
            occurred_at=case.occurred.occurred_at,
            observed_at=case.observed_at,
            event=event,
            confirmed=case.confirmed,
            gated=case.gated,
        )
