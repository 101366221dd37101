"""What the store has about the submitted jobs that a batch of events is about."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from agent.core.failure import Failure
from agent.core.run_event import Amendment, CreationFailed, RunCreated, RunRejected, RunStopped
from agent.scheduler.consume.submitted import Known
from agent.store import failures, verdicts
from agent.store.runs import ReceivedEvent
from agent.store.submitted import held, lookup, pending
from agent.store.submitted.pending import PendingEvent
from agent.wire import events as wire

_FAILURES: Final = (Failure, Amendment, CreationFailed, RunStopped)
"""What a failure may be stored for."""

_ANSWERS: Final = (RunCreated, RunRejected, CreationFailed)
"""Answers to a create, after which a run has a pod, or will have none."""


def jobs_about(connection: Connection, reports: Sequence[ReceivedEvent]) -> set[str]:
    """The submitted jobs that events are about, by the pods that are recorded or by what labels say."""
    events = [report.event for report in reports]
    by_pod = lookup.jobs_of_pods(connection, {(event.cluster_id, event.pod.uid) for event in events})
    by_run = lookup.jobs_of_runs(connection, {event.identity.run_id for event in events})
    by_label = lookup.existing(connection, {event.identity.job_id for event in events})
    return {*by_pod.values(), *by_run.values(), *by_label}


def known(
    connection: Connection, job_ids: Collection[str], reports: Sequence[ReceivedEvent], *, since: datetime | None
) -> Known:
    """What is known about these jobs, whose scopes are locked; takes the events that waited for the batch's runs."""
    if not job_ids:
        return Known()
    answered = {report.event.identity.run_id for report in reports if isinstance(report.event.event, _ANSWERS)}
    waiting = _waiting(connection, answered)
    failing = [
        report.event.event_id
        for report in (*reports, *(report for several in waiting.values() for report in several))
        if isinstance(report.event.event, _FAILURES)
    ]
    return Known(
        held=held.load(connection, job_ids),
        specs=held.specs(connection, job_ids) if failing else {},
        histories=verdicts.histories(connection, job_ids, since=since) if failing else {},
        consumed=failures.consumed(connection, failing),
        waiting=waiting,
    )


def keep(connection: Connection, reports: Sequence[ReceivedEvent], *, now: datetime) -> None:
    """Keep events until their run records a pod."""
    pending.keep(
        connection,
        [
            PendingEvent(
                event_id=report.event.event_id,
                run_id=report.event.identity.run_id,
                payload=wire.encode(report.event),
                received_at=now,
            )
            for report in reports
        ],
    )


def _waiting(connection: Connection, run_ids: Collection[str]) -> dict[str, list[ReceivedEvent]]:
    waiting: dict[str, list[ReceivedEvent]] = {}
    for kept in pending.take(connection, run_ids):
        waiting.setdefault(kept.run_id, []).append(ReceivedEvent(event=wire.decode(kept.payload)))
    return waiting
