"""What a batch adds to the metrics, once it is committed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from agent.core.failure import Failure
from agent.core.run_event import (
    Amendment,
    Content,
    CreationFailed,
    NameHeld,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunStopped,
)
from agent.scheduler.consume.transaction import Committed
from agent.store.runs import ReceivedEvent
from agent.telemetry import scheduler_metrics as metrics

_KINDS: Final[Mapping[type[Content], str]] = {
    Failure: "failure",
    Amendment: "amendment",
    RunRejected: "run-rejected",
    CreationFailed: "creation-failed",
    RunCreated: "run-created",
    NameHeld: "name-held",
    RunStopped: "run-stopped",
    RunPhase: "run-state",
}


def _is_answer(event: RunEvent) -> bool:
    """Whether it answers a command; such an event is counted whenever it comes, because repeats are nothing special."""
    return isinstance(event.event, RunCreated | RunStopped | NameHeld | RunRejected)


def _kind(event: RunEvent) -> str:
    return _KINDS[type(event.event)]


def count(reports: Sequence[ReceivedEvent], done: Committed) -> None:
    """Count events and verdicts."""
    answers = [report.event for report in reports if _is_answer(report.event)]
    new = [arrival.event for arrival in done.new if not _is_answer(arrival.event)]
    for kind, number in Counter(map(_kind, (*answers, *new))).items():
        metrics.EVENTS.labels(kind).inc(number)
    summarized = [report for report in done.summarized if not _is_answer(report.event)]
    states = sum(isinstance(report.event.event, RunPhase) for report in summarized) - done.repeated
    metrics.EVENTS.labels("run-state").inc(states)
    metrics.DUPLICATES.inc(len(summarized) - states - len(new))
    metrics.ATTACHED.inc(len(done.new) - len(done.decided))
    origins = {arrival.event.event_id: arrival.failure.classification.origin for arrival in done.new}
    for made in done.decided:
        metrics.DECIDED.labels(made.verdict.action, origins[made.event.event_id]).inc()
        metrics.DETECT_TO_DECISION_SECONDS.observe(max((done.at - made.event.observed_at).total_seconds(), 0.0))
