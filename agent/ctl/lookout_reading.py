"""Records from a Lookout's API: its runs and jobs as the records that ``failctl get`` shows.

A Lookout is asked for what may fit by conditions that it has in the same sense; jobs, whose conditions are about one
run of each, are then compared here too. So a page may be short though the list goes on.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct, structs

from agent.console.exits import UsageError
from agent.console.terminal import visible
from agent.core.failure import Detail, DetailKey, Grade, Occurrence, Origin
from agent.core.limit import Reason, VerdictAction
from agent.core.run_event import RunPhase
from agent.ctl.lookout_api import Items, LookoutClient, opened
from agent.ctl.lookout_query import COMPARED, asked_of, asked_of_jobs, items_of, items_of_counts, items_of_part
from agent.json_reader.reader import Reader
from agent.store.records.filters import (
    NEWEST,
    AnyFilter,
    CategoryName,
    FailureFilter,
    JobFilter,
    Part,
    RunFilter,
    VerdictFilter,
)
from agent.store.records.groups import Counts, Group
from agent.store.records.port import (
    FailureRecord,
    JobRecord,
    Named,
    Page,
    RunRecord,
    VerdictRecord,
)


class _Run(Struct, frozen=True, kw_only=True, rename="camel"):
    """A run, as far as records have it. Texts that are not known are empty."""

    run_id: str
    job_id: str
    queue: str
    job_set: str
    owner: str
    namespace: str
    cluster: str
    node: str
    pod_name: str
    attempt: int | None
    state: str
    first_at: datetime
    succeeded_at: datetime | None
    rejected_at: datetime | None
    failure_id: str | None
    failed_at: datetime | None
    occurrence: str
    category: str
    subcategory: str
    origin: str
    detail: dict[str, str] | None
    grade: Grade | None
    corroborated: bool | None = None
    exit_code: int | None
    container: str
    key_line: str
    fingerprint: str
    action: str
    verdict_reason: str
    policy: str
    decided_at: datetime | None
    decided_on: str
    not_before: datetime | None

    @property
    def is_decided(self) -> bool:
        return bool(self.action) and self.failure_id is not None

    @property
    def last_at(self) -> datetime:
        """When it ended or failed, else when it was first heard of."""
        ended = [at for at in (self.succeeded_at, self.rejected_at, self.failed_at) if at is not None]
        return max(ended, default=self.first_at)


class _Job(Struct, frozen=True, kw_only=True, rename="camel"):
    """A job and its latest runs, the latest first."""

    job_id: str
    queue: str
    job_set: str
    owner: str
    namespace: str
    client_id: str
    first_at: datetime
    state: str | None
    observed: str
    run_count: int
    failed_run_count: int
    runs: tuple[_Run, ...]


class _Group(Struct, frozen=True, kw_only=True, rename="camel"):
    """Rows with one value of a column."""

    value: str | int | bool | None
    count: int
    groups: tuple["_Group", ...]
    left_out: int


class _Groups(_Group, frozen=True, kw_only=True, rename="camel"):
    """All of them, and what was counted."""

    since: datetime
    until: datetime
    base: str


Word = TypeVar("Word", bound=StrEnum)
Item = TypeVar("Item")
Of = TypeVar("Of", JobRecord, RunRecord, FailureRecord, VerdictRecord)


class _Items(Struct, Generic[Item], frozen=True):
    items: tuple[Item, ...]
    next: str | None


_JOBS: Final = Reader(_Items[_Job])
_RUNS: Final = Reader(_Items[_Run])
_GROUPS: Final = Reader(_Groups)


@contextmanager
def open_lookout(url: str) -> Iterator["LookoutRecords"]:
    """Open a Lookout for reading lists. Calls raise the errors of ``failctl``."""
    with opened(url) as client:
        yield LookoutRecords(client)


@dataclass(frozen=True, slots=True)
class LookoutRecords:
    """Implements ``Records`` by a Lookout, but for finding names."""

    client: LookoutClient

    def named(self, identifier: str) -> Named:
        del identifier
        raise UsageError("a Lookout does not find jobs by parts of their names; ask the scheduler or its store")

    def shortest_names(self, ids: Collection[str], *, ends: Callable[[str], Iterable[str]]) -> Mapping[str, str]:
        """Whole ids: whoever is asked about one next may have other jobs."""
        del ends
        return {identifier: identifier for identifier in ids}

    def jobs(self, wanted: JobFilter, part: Part = NEWEST) -> Page[JobRecord]:
        few = part.limit if not asked_of(wanted).keys() & COMPARED else max(part.limit, _FEWEST)
        records, after = self._compared(wanted, part, few)
        places = [place for place, record in enumerate(records) if record is not None]
        if len(places) > part.limit:  # a cursor is known only at the end of what was asked for
            records, after = self._compared(wanted, part, places[part.limit - 1] + 1)
        return Page(records=tuple(record for record in records if record is not None), after=after)

    def _compared(self, wanted: JobFilter, part: Part, number: int) -> tuple[Sequence[JobRecord | None], str | None]:
        """This number of jobs, ``None`` for each that does not fit, and where the list goes on."""
        items = [*items_of(asked_of_jobs(wanted)), *items_of_part("jobs", structs.replace(part, limit=number))]
        found = self.client.get("jobs", items, _JOBS)
        records = map(self._job, found.items)
        return [record if _fits(record, wanted) else None for record in records], found.next

    def runs(self, wanted: RunFilter, part: Part = NEWEST) -> Page[RunRecord]:
        return self._page("runs", items_of(asked_of(wanted)), part, _run)

    def failures(self, wanted: FailureFilter, part: Part = NEWEST) -> Page[FailureRecord]:
        return self._page("failures", items_of(asked_of(wanted)), part, _failure)

    def verdicts(self, wanted: VerdictFilter, part: Part = NEWEST) -> Page[VerdictRecord]:
        return self._page("failures", [*items_of(asked_of(wanted)), ("action.exists", "true")], part, _verdict)

    def _page(self, path: str, items: Items, part: Part, record: Callable[[_Run], Of]) -> Page[Of]:
        found = self.client.get(path, [*items, *items_of_part(path, part)], _RUNS)
        return Page(records=tuple(map(record, found.items)), after=found.next)

    def counts(self, wanted: AnyFilter, by: Sequence[str], part: Part = NEWEST) -> Counts:
        address, items = items_of_counts(wanted, by, part)
        found = self.client.get(address, items, _GROUPS)
        return Counts(
            by=tuple(by),
            count=found.count,
            groups=tuple(map(_group, found.groups)),
            left_out=found.left_out,
            since=found.since,
            until=found.until,
            base=found.base,
        )

    def _job(self, job: _Job) -> JobRecord:
        latest = job.runs[0] if job.runs else None
        decided = self._decided_last(job)
        return JobRecord(
            job_id=job.job_id,
            queue=job.queue,
            job_set=job.job_set,
            cluster=latest.cluster if latest else "",
            namespace=(latest.namespace if latest else "") or job.namespace,
            first_at=job.first_at,
            last_at=max((run.last_at for run in job.runs), default=job.first_at),
            runs=job.run_count,
            latest_run=latest.run_id if latest else "",
            state=job.state or job.observed,
            action=_word(VerdictAction, latest.action) if latest and latest.is_decided else None,
            category=decided.category if decided else None,
            subcategory=decided.subcategory if decided else None,
            origin=_word(Origin, decided.origin) if decided else None,
            container=decided.container if decided else None,
            exit_code=decided.exit_code if decided else None,
            client_id=job.client_id or None,
            grade=decided.grade if decided else None,
            corroborated=decided.corroborated if decided else None,
            node=latest.node if latest else "",
            pod_name=latest.pod_name if latest else "",
            owner=job.owner,
        )

    def _decided_last(self, job: _Job) -> _Run | None:
        """The latest of its runs on whose failure there is a verdict. The list has ten runs of each job."""
        found = next((run for run in job.runs if run.is_decided), None)
        if found is not None or job.run_count == len(job.runs) or not job.failed_run_count:
            return found
        items = (("jobId", job.job_id), ("action.exists", "true"), ("failedAt.exists", "true"), ("limit", "1"))
        return next(iter(self.client.get("runs", items, _RUNS).items), None)


_FEWEST: Final = 100
"""Jobs that are asked for at once where few may fit: otherwise the last one that is wanted is looked for one by one."""


def _fits(record: JobRecord, wanted: JobFilter) -> bool:
    """Whether a job has what is asked of its latest run, and of the failure that was decided last."""
    asked = asked_of(wanted)
    return all(_has(record, name, asked[name]) for name in asked.keys() & COMPARED)


def _has(record: JobRecord, name: str, value: object) -> bool:
    if isinstance(value, CategoryName):
        return record.category == value.category and value.subcategory in (None, record.subcategory)
    return bool(getattr(record, name) == value)


def _group(group: _Group) -> Group:
    value = group.value if group.value != "" else None
    return Group(value=value, count=group.count, groups=tuple(map(_group, group.groups)), left_out=group.left_out)


def _word(kind: type[Word], text: str) -> Word:
    """Raises UsageError for a word of a later version."""
    try:
        return kind(text)
    except ValueError as error:
        raise UsageError(
            f"what the Lookout answers has {visible(text)!r}, which is not known here; use its failctl"
        ) from error


def _common(run: _Run) -> Mapping[str, Any]:
    """What records of runs, failures and verdicts have."""
    names = ("run_id", "job_id", "queue", "job_set", "owner", "attempt", "cluster", "namespace", "node", "pod_name")
    return {name: getattr(run, name) for name in names}


def _run(run: _Run) -> RunRecord:
    phase = RunPhase(run.state) if run.state in list(RunPhase) else None
    return RunRecord(**_common(run), phase=phase, first_occurred_at=run.first_at)


def _why(run: _Run) -> Mapping[str, Any]:
    """What records of failures and verdicts have of the failure."""
    names = ("category", "subcategory", "container", "exit_code", "fingerprint", "grade", "corroborated")
    given = run.detail or {}
    return {
        **{name: getattr(run, name) for name in names},
        "origin": _word(Origin, run.origin),
        "detail": tuple(Detail(key=key, value=given[key]) for key in DetailKey if key in given),
        "occurred_at": run.failed_at or run.first_at,
    }


def _failure(run: _Run) -> FailureRecord:
    return FailureRecord(
        **_common(run),
        **_why(run),
        event_id=run.failure_id or "",
        occurrence=_word(Occurrence, run.occurrence),
        amends=None,
        key_line=run.key_line,
    )


def _verdict(run: _Run) -> VerdictRecord:
    return VerdictRecord(
        **_common(run),
        **_why(run),
        event_id=run.decided_on,
        action=_word(VerdictAction, run.action),
        reason=_word(Reason, run.verdict_reason),
        policy=run.policy or None,
        decided_at=run.decided_at or run.first_at,
        not_before=run.not_before,
    )
