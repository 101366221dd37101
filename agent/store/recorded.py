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


class SubmittedRun(Struct, frozen=True, kw_only=True):
    """A run that the scheduler leased. ``index`` counts from 0; ``cluster`` is a name.

    ``closed_by`` is empty while the run is open, else ``success``, ``verdict``, ``ending`` or ``rejected``. ``verdict``
    is ``retry`` or ``fail``, empty before there is one. ``granted``: by a person. ``grant_returned``: the run succeeded
    after its verdict, so the retry is not counted. ``may_still_live``: nothing confirms that its pod is gone.
    """

    run_id: str
    index: int
    attempt: int
    cluster: str
    node: str
    phase: str
    granted: bool
    opened_at: datetime
    closed_at: datetime | None
    closed_by: str
    verdict: str
    grant_returned: bool
    may_still_live: bool


class OrphanPod(Struct, frozen=True, kw_only=True):
    """A pod that nobody started, and that has the labels of the job or the name of one of its runs.

    ``pod`` is as people read it, with node and cluster. ``confirmed_by`` is empty if nobody vouched for its stop.
    """

    pod: str
    uid: str
    since: datetime
    confirmed_by: str


class PersonsRequest(Struct, frozen=True, kw_only=True):
    """What somebody asked of a submitted job; ``refused`` is why it had no effect, empty if it had one."""

    kind: str
    by: str
    reason: str
    at: datetime
    refused: str


class JobEnding(Struct, frozen=True, kw_only=True):
    """How a submitted job ended, before it was opened again for the time after ``opening``."""

    state: str
    by: str
    at: datetime
    opening: int


class SubmittedPart(Struct, frozen=True, kw_only=True):
    """A submitted job as the scheduler has it.

    ``wait`` is why nothing happens now, as a sentence, empty if something does. ``runs``, ``requests`` and ``endings``
    are in the order in which they happened. ``ended``: by the last of the endings, and no run follows.
    """

    state: str
    namespace: str
    client_id: str
    submitted_at: datetime
    submitted_by: str
    never_retry: bool
    wait: str
    ended: bool
    runs: tuple[SubmittedRun, ...]
    requests: tuple[PersonsRequest, ...]
    endings: tuple[JobEnding, ...]
    orphans: tuple[OrphanPod, ...] = ()


class Timeline(Struct, frozen=True, kw_only=True):
    """A job and its runs, by attempt if that is known, else by time; ``earlier_runs`` counts those left out.

    ``submitted`` is ``None`` if nobody submitted the job here; else there may be no run yet.
    """

    job_id: str
    queue: str
    job_set: str
    gang_id: str
    runs: tuple[RecordedRun, ...]
    earlier_runs: int = 0
    submitted: SubmittedPart | None = None
