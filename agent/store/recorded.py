"""The timeline of a job, as values. No database here."""

from datetime import datetime

from msgspec import Struct

from agent.core.decision.verdict import Verdict
from agent.core.failure import Failure


class RecordedFailure(Struct, frozen=True, kw_only=True):
    """One failure of a run; ``amends`` is the event it adds evidence to, ``None`` unless it is an amendment."""

    event_id: str
    amends: str | None
    occurred_at: datetime
    observed_at: datetime
    stored_at: datetime
    key_line: str
    failure: Failure


class RecordedVerdict(Struct, frozen=True, kw_only=True):
    """The verdict on a run, and the event it was made on."""

    event_id: str
    decided_at: datetime
    verdict: Verdict


class RecordedRun(Struct, frozen=True, kw_only=True):
    """One run, its failures in the order they happened, and its verdict; ``None`` before there is one.

    ``phase_at`` is when its phase was reached, ``None`` before any was reported.
    """

    run_id: str
    attempt: int | None
    cluster: str
    namespace: str
    pod_name: str
    node: str
    phase: str | None
    phase_at: datetime | None
    first_occurred_at: datetime
    failures: tuple[RecordedFailure, ...]
    verdict: RecordedVerdict | None


class Timeline(Struct, frozen=True, kw_only=True):
    """A job and its runs, by attempt if that is known, else by time; ``earlier_runs`` counts those left out."""

    job_id: str
    queue: str
    job_set: str
    gang_id: str
    runs: tuple[RecordedRun, ...]
    earlier_runs: int = 0
