"""The interface of the records: what may be asked, and the results. No database here."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, Generic, Protocol, TypeVar

from msgspec import Struct

from agent.core.failure import Detail, Grade, Occurrence, Origin
from agent.core.limit import Reason, VerdictAction
from agent.core.run_event import RunPhase
from agent.store.records.filters import NEWEST, AnyFilter, FailureFilter, JobFilter, Part, RunFilter, VerdictFilter
from agent.store.records.groups import Counts

SHORTEST: Final = 4
"""Characters that a part of an id must have."""


class JobRecord(Struct, frozen=True, kw_only=True):
    """A job. ``category`` to ``exit_code`` are of the failure that was decided last; ``None`` where none was.

    ``last_at`` is when a run ended or failed last, or when the latest was first seen. ``runs`` counts those that were
    seen, ``latest_run`` is the one first seen last; ``cluster`` to ``pod_name`` are where it ran, ``action`` is
    the verdict on it.

    ``state`` is that of a submitted job (``lifecycle.state.State``), else what was observed (``JobState``). Of a
    submitted job no run of which was seen, ``first_at`` and ``last_at`` are when it was submitted. ``client_id`` is
    ``None`` if nobody submitted it, or gave none; ``owner`` is who did, here as in all records.
    """

    job_id: str
    queue: str
    job_set: str
    cluster: str
    namespace: str
    first_at: datetime
    last_at: datetime
    runs: int
    latest_run: str
    state: str
    action: VerdictAction | None
    category: str | None
    subcategory: str | None
    origin: Origin | None
    container: str | None
    exit_code: int | None
    client_id: str | None = None
    grade: Grade | None = None
    corroborated: bool | None = None
    node: str = ""
    pod_name: str = ""
    owner: str = ""


class RunRecord(Struct, frozen=True, kw_only=True):
    """A run; ``phase`` is the furthest that was reported, ``None`` where none was."""

    run_id: str
    job_id: str
    queue: str
    job_set: str
    attempt: int | None
    cluster: str
    namespace: str
    pod_name: str
    node: str
    phase: RunPhase | None
    first_occurred_at: datetime
    owner: str = ""


class FailureRecord(Struct, frozen=True, kw_only=True):
    """A failure; ``amends`` is the event that an amendment adds evidence to. ``detail`` is in the order of the keys."""

    event_id: str
    run_id: str
    job_id: str
    queue: str
    job_set: str
    attempt: int | None
    cluster: str
    namespace: str
    pod_name: str
    node: str
    occurrence: Occurrence
    amends: str | None
    category: str
    subcategory: str
    origin: Origin
    container: str
    exit_code: int | None
    key_line: str
    fingerprint: str
    detail: tuple[Detail, ...]
    occurred_at: datetime
    grade: Grade | None = None
    corroborated: bool | None = None
    owner: str = ""


class VerdictRecord(Struct, frozen=True, kw_only=True):
    """A verdict, and what is asked most of the failure it was made on."""

    run_id: str
    job_id: str
    event_id: str
    queue: str
    job_set: str
    attempt: int | None
    cluster: str
    namespace: str
    node: str
    category: str
    subcategory: str
    origin: Origin
    container: str
    exit_code: int | None
    fingerprint: str
    detail: tuple[Detail, ...]
    action: VerdictAction
    reason: Reason
    policy: str | None
    occurred_at: datetime
    decided_at: datetime
    not_before: datetime | None
    grade: Grade | None = None
    corroborated: bool | None = None
    pod_name: str = ""
    owner: str = ""


AnyRecord = JobRecord | RunRecord | FailureRecord | VerdictRecord
Record_co = TypeVar("Record_co", bound=AnyRecord, covariant=True)


class Page(Struct, Generic[Record_co], frozen=True, kw_only=True):
    """A part of a list. ``after`` is where it goes on, ``None`` at its end: a short page need not be the last."""

    records: tuple[Record_co, ...]
    after: str | None


class Kind(StrEnum):
    """What an identifier may name."""

    JOB = "job"
    RUN = "run"


class Candidate(Struct, frozen=True, kw_only=True):
    """One that may be meant. ``at`` is when a job was active last, or a run first seen; ``state`` may be a run's phase.

    ``job_id`` is the job whose run it is, or the job itself. ``category`` has the subcategory. Unknown texts are empty.
    """

    kind: Kind
    id: str
    job_id: str
    at: datetime
    state: str
    category: str


class Found(Struct, frozen=True, kw_only=True):
    """Its whole id. ``earlier``: the newest of the jobs whose pods had the name before, of ``earlier_count``."""

    kind: Kind
    id: str
    earlier: tuple[Candidate, ...] = ()
    earlier_count: int = 0


class Ambiguous(Struct, frozen=True, kw_only=True):
    """Several fit: some of them, and how many there are. ``or_more``: there may be more than were counted."""

    candidates: tuple[Candidate, ...]
    count: int
    or_more: bool = False


class NotFound(Struct, frozen=True):
    """Nothing fits. ``too_short``: it is no whole id and no pod, and too short for a part of an id."""

    too_short: bool = False


Named = Found | Ambiguous | NotFound


class Records(Protocol):
    """Answers from what was recorded. Every call raises BadQuestion, and StoreError where it cannot be asked."""

    def named(self, identifier: str) -> Named:
        """What somebody means who types this: a whole id, its beginning or end, a pod's name, or namespace/pod."""
        ...

    def shortest_names(self, ids: Collection[str], *, ends: Callable[[str], Iterable[str]]) -> Mapping[str, str]:
        """For each id the first of its ``ends`` that names it and nothing else, or the whole."""
        ...

    def jobs(self, wanted: JobFilter, part: Part = NEWEST) -> Page[JobRecord]: ...

    def runs(self, wanted: RunFilter, part: Part = NEWEST) -> Page[RunRecord]: ...

    def failures(self, wanted: FailureFilter, part: Part = NEWEST) -> Page[FailureRecord]: ...

    def verdicts(self, wanted: VerdictFilter, part: Part = NEWEST) -> Page[VerdictRecord]: ...

    def counts(self, wanted: AnyFilter, by: Sequence[str], part: Part = NEWEST) -> Counts:
        """Counts of all records that fit, by columns. Of a part the time counts, and its limit on each level."""
        ...
