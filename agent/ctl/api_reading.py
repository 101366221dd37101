"""Records from the API of the scheduler."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

import grpc

from agent.api.v1 import records_pb2 as pb
from agent.client.errors import ApiError
from agent.client.records import RecordClient, connect
from agent.console.exits import UsageError
from agent.ctl.api import translated
from agent.ctl.server import user
from agent.store.records.filters import NEWEST, AnyFilter, FailureFilter, JobFilter, Part, RunFilter, VerdictFilter
from agent.store.records.groups import Counts
from agent.store.records.port import (
    Ambiguous,
    AnyRecord,
    FailureRecord,
    Found,
    JobRecord,
    Named,
    NotFound,
    Page,
    Records,
    RunRecord,
    VerdictRecord,
)
from agent.wire.error import WireError
from agent.wire.time import fill_time
from agent.wire.values import from_struct, to_struct

if TYPE_CHECKING:
    from agent.store.recorded import Timeline

Of = TypeVar("Of", bound=AnyRecord)

_FOUND: Final[Mapping[int, type[Found | Ambiguous | NotFound]]] = {
    int(pb.FindNameResponse.OUTCOME_FOUND): Found,
    int(pb.FindNameResponse.OUTCOME_AMBIGUOUS): Ambiguous,
    int(pb.FindNameResponse.OUTCOME_NOT_FOUND): NotFound,
}

_KINDS: Final[Mapping[type[AnyFilter], Any]] = {
    JobFilter: pb.RECORD_KIND_JOB,
    RunFilter: pb.RECORD_KIND_RUN,
    FailureFilter: pb.RECORD_KIND_FAILURE,
    VerdictFilter: pb.RECORD_KIND_VERDICT,
}
_UPGRADE: Final = "upgrade it, or read its store with --store"


@contextmanager
def open_api(address: str) -> Iterator["ApiReading"]:
    """Open the API for reading. Raises the errors of ``failctl``, also inside the block."""
    with translated(), connect(address, who=user()) as client:
        yield ApiReading(client)


@dataclass(frozen=True, slots=True)
class ApiReading:
    """Implements ``agent.ctl.reading.Reading`` by the API."""

    client: RecordClient

    @property
    def records(self) -> Records:
        return _ApiRecords(self.client)

    def timeline(self, named: Found, *, newest: int | None, now: datetime) -> "Timeline":
        del now  # the server says why a job waits, by its own clock
        from agent.store.recorded import Timeline  # noqa: PLC0415 - lists need none of what a timeline is made of

        return from_struct(self.client.timeline(named.id, newest=newest).timeline, Timeline)


@dataclass(frozen=True, slots=True)
class _ApiRecords:
    """Implements ``Records`` by the API."""

    client: RecordClient

    def named(self, identifier: str) -> Named:
        answer = self.client.find(identifier)
        kind = _FOUND.get(answer.outcome)
        if kind is None:
            raise WireError(f"the outcome {answer.outcome} of a search is not known")
        return from_struct(answer.found, kind)

    def shortest_names(self, ids: Collection[str], *, ends: Callable[[str], Iterable[str]]) -> Mapping[str, str]:
        return self.client.shorten({identifier: tuple(ends(identifier)) for identifier in ids})

    def jobs(self, wanted: JobFilter, part: Part = NEWEST) -> Page[JobRecord]:
        return self._page(wanted, part, JobRecord)

    def runs(self, wanted: RunFilter, part: Part = NEWEST) -> Page[RunRecord]:
        return self._page(wanted, part, RunRecord)

    def failures(self, wanted: FailureFilter, part: Part = NEWEST) -> Page[FailureRecord]:
        return self._page(wanted, part, FailureRecord)

    def verdicts(self, wanted: VerdictFilter, part: Part = NEWEST) -> Page[VerdictRecord]:
        return self._page(wanted, part, VerdictRecord)

    def counts(self, wanted: AnyFilter, by: Sequence[str], part: Part = NEWEST) -> Counts:
        request = pb.CountRecordsRequest(kind=_KINDS[type(wanted)], filter=to_struct(wanted), by=by, limit=part.limit)
        _fill_times(request, part)
        try:
            answer = self.client.count(request)
        except ApiError as error:
            if error.code is grpc.StatusCode.UNIMPLEMENTED:
                raise UsageError(
                    f"this scheduler is of an earlier version, which does not count; {_UPGRADE}"
                ) from error
            raise
        return from_struct(answer.counts, Counts)

    def _page(self, wanted: AnyFilter, part: Part, of: type[Of]) -> Page[Of]:
        request = pb.ListRecordsRequest(
            kind=_KINDS[type(wanted)],
            filter=to_struct(wanted),
            limit=part.limit,
            after=part.after or "",
            sort=part.sort or "",
        )
        _fill_times(request, part)
        page = self.client.list(request)
        if page.sort != request.sort:
            raise UsageError(f"this scheduler is of an earlier version, which sorts by time only; {_UPGRADE}")
        return Page(records=tuple(from_struct(record, of) for record in page.records), after=page.after or None)


def _fill_times(request: pb.ListRecordsRequest | pb.CountRecordsRequest, part: Part) -> None:
    if part.since is not None:
        fill_time(request.since, part.since)
    if part.until is not None:
        fill_time(request.until, part.until)
