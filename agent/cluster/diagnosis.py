"""From evidence to what is spooled: classify, summarise, write (design 4.3, 4.4)."""

import asyncio
import time
from dataclasses import dataclass

from agent.cluster.case import Case
from agent.cluster.spool_entry import Report
from agent.core.classify.classifier import Classifier
from agent.core.classify.rules import AllOf, Engine, Matcher, RuleSet
from agent.core.evidence import Evidence
from agent.core.failure import Classification, RunEvent
from agent.core.redaction import Redactor
from agent.core.submission import Submission
from agent.core.summary import summarise
from agent.telemetry import cluster_metrics as metrics
from agent.wire import events


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What the cluster's rules make of a case. ``slow_rules``: some of them may take long, so they run on a thread."""

    cluster_id: str
    cluster: str
    classifier: Classifier
    redactor: Redactor
    slow_rules: bool

    async def classify(self, evidence: Evidence) -> Classification:
        """What the rules say of it."""
        begun = time.perf_counter()
        if self.slow_rules:
            given = await asyncio.to_thread(self.classifier.classify, evidence)
        else:
            given = self.classifier.classify(evidence)
        metrics.record_classification(time.perf_counter() - begun, category=given.category)
        return given

    def report(self, case: Case, evidence: Evidence, given: Classification, *, submitted: Submission) -> Report:
        """The event that tells of the case: redacted and within bounds."""
        failure = summarise(
            evidence, given, occurrence=case.occurred.occurrence, submitted=submitted, redactor=self.redactor
        )
        metrics.record_failure(failure.classification.category, failure.classification.subcategory)
        event = RunEvent(
            event_id=case.event_id,
            cluster_id=self.cluster_id,
            cluster=self.cluster,
            identity=case.entry.identity,
            pod=case.entry.reference,
            occurred_at=case.occurred.occurred_at,
            observed_at=case.observed_at,
            event=failure,
        )
        return Report(
            event_id=case.event_id,
            pod_uid=case.pod_uid,
            key=case.entry.identity.scope,
            payload=events.encode(event),
            properties={"event_id": case.event_id, "schema_version": str(events.SCHEMA_VERSION)},
            event_time=case.occurred.occurred_at,
        )


def has_slow_rules(rules: RuleSet) -> bool:
    """Whether any rule asks for the backtracking engine."""
    return any(_is_slow(rule.matcher) for category in rules.categories for rule in category.rules)


def _is_slow(matcher: Matcher) -> bool:
    if isinstance(matcher, AllOf):
        return any(_is_slow(each) for each in matcher.matchers)
    pattern = getattr(matcher, "pattern", None)
    return pattern is not None and pattern.engine is Engine.BACKTRACKING
