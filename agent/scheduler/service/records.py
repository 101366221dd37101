"""The gRPC service of records: what the store has, and what the policies in force say."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct
from msgspec.structs import fields
from sqlalchemy import Connection

from agent.api.v1 import records_pb2 as pb
from agent.api.v1 import records_pb2_grpc as grpc_pb
from agent.core.decision.scenario import Scenario, play
from agent.core.retry.catalog import Catalog
from agent.documents.problem import ManifestError
from agent.manifests.retry.scenario import load_scenarios
from agent.scheduler.service.answering import answering
from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.waiting import Waiting
from agent.store.recorded import Timeline
from agent.store.records.columns import list_of, read_groups, read_sort
from agent.store.records.filters import AnyFilter, FailureFilter, JobFilter, Part, RunFilter, VerdictFilter
from agent.store.records.port import Ambiguous, Found, NotFound, Page, Records
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from agent.store.submitted import whole
from agent.wire.time import read_time
from agent.wire.values import from_struct, to_struct

_FILTERS: Final[Mapping[int, type[AnyFilter]]] = {
    int(pb.RECORD_KIND_JOB): JobFilter,
    int(pb.RECORD_KIND_RUN): RunFilter,
    int(pb.RECORD_KIND_FAILURE): FailureFilter,
    int(pb.RECORD_KIND_VERDICT): VerdictFilter,
}
_OUTCOMES: Final = {
    Found: pb.FindNameResponse.OUTCOME_FOUND,
    Ambiguous: pb.FindNameResponse.OUTCOME_AMBIGUOUS,
    NotFound: pb.FindNameResponse.OUTCOME_NOT_FOUND,
}
_PAGE: Final = 50
_MOST_VERDICTS: Final = 10_000


class RecordServicer(grpc_pb.RecordServiceServicer):
    """Serves records of a store; ``catalog`` gives the policies in force at a moment.

    ``clock`` and ``waiting`` are for why a submitted job waits.
    """

    def __init__(
        self,
        store: Store,
        *,
        catalog: Callable[[], Catalog],
        clock: Callable[[Connection], datetime],
        waiting: Waiting,
    ) -> None:
        self._store = store
        self._records: Records = StoredRecords(store)
        self._catalog = catalog
        self._clock = clock
        self._waiting = waiting

    def ListRecords(self, request: pb.ListRecordsRequest, context: Any) -> pb.ListRecordsResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            kind = _FILTERS.get(request.kind)
            if kind is None:
                raise Refused(Why.INVALID, "name the kind of records")
            part = _part(request, after=request.after or None, sort=_sort(kind, request.sort))
            page = _page(self._records, _filter(request.filter, kind), part)
            return pb.ListRecordsResponse(
                records=map(to_struct, page.records), after=page.after or "", sort=request.sort
            )

    def CountRecords(self, request: pb.CountRecordsRequest, context: Any) -> pb.CountRecordsResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            kind = _FILTERS.get(request.kind)
            if kind is None:
                raise Refused(Why.INVALID, "name the kind of records")
            by = read_groups(list_of(kind()), ",".join(request.by))
            counts = self._records.counts(_filter(request.filter, kind), by, _part(request))
            return pb.CountRecordsResponse(counts=to_struct(counts))

    def FindName(self, request: pb.FindNameRequest, context: Any) -> pb.FindNameResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            found = self._records.named(request.text)
            return pb.FindNameResponse(outcome=_OUTCOMES[type(found)], found=to_struct(found))

    def ShortenNames(self, request: pb.ShortenNamesRequest, context: Any) -> pb.ShortenNamesResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            ends = {name.id: tuple(name.ends) for name in request.names}
            return pb.ShortenNamesResponse(names=self._records.shortest_names(ends, ends=ends.__getitem__))

    def GetTimeline(self, request: pb.GetTimelineRequest, context: Any) -> pb.GetTimelineResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context), self._store.read() as connection:
            found = self._timeline(connection, request.id, newest=request.newest or None)
            if found is None:
                raise Refused(Why.NOT_FOUND, f"the store has no job and no run {request.id}")
            return pb.GetTimelineResponse(timeline=to_struct(found))

    def GetEffectivePolicies(  # noqa: N802 - gRPC's
        self,
        request: pb.GetEffectivePoliciesRequest,
        context: Any,  # noqa: ANN401 - gRPC's
    ) -> pb.GetEffectivePoliciesResponse:
        with answering(context):
            queue = request.queue
            if request.job_id:
                with self._store.read() as connection:
                    found = self._timeline(connection, request.job_id, newest=1)
                if found is None:
                    raise Refused(Why.NOT_FOUND, f"the store has no job {request.job_id}")
                queue = found.queue
            effect = self._catalog().in_effect(queue, request.annotation)
            pairs = zip(effect.names, effect.versions, strict=True)
            return pb.GetEffectivePoliciesResponse(
                policies=[pb.EffectivePolicy(name=name, version=version or 0) for name, version in pairs],
                notes=effect.notes,
            )

    def Decide(self, request: pb.DecideRequest, context: Any) -> pb.DecideResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            try:
                scenarios = load_scenarios(request.text, file="text")
            except ManifestError as error:
                raise Refused(Why.INVALID, str(error)) from error
            return pb.DecideResponse(verdicts=self._verdicts(scenarios))

    def _timeline(self, connection: Connection, identifier: str, *, newest: int | None) -> Timeline | None:
        now = self._clock(connection)
        return whole.find(
            connection,
            identifier,
            now=now,
            newest=newest,
            describe=partial(self._waiting.surroundings, now=now),
            retries_stopped=self._waiting.retries_stopped,
        )

    def _verdicts(self, scenarios: tuple[Scenario, ...]) -> Iterator[pb.ScenarioVerdict]:
        if sum(step.times for scenario in scenarios for step in scenario.steps) > _MOST_VERDICTS:
            raise Refused(Why.INVALID, f"a call decides at most {_MOST_VERDICTS:,} failures")
        known = self._catalog().policies
        for scenario in scenarios:
            for number, played in enumerate(play(scenario, known), start=1):
                yield pb.ScenarioVerdict(
                    scenario=scenario.name, number=number, explanation=to_struct(played.verdict.explanation)
                )


def _filter(asked: Struct, kind: type[AnyFilter]) -> AnyFilter:
    """The filter of a request. Raises Refused for one that only a later version knows: without it too much is found."""
    known = {field.name for field in fields(kind)}
    set_ones = (name for name, value in json_format.MessageToDict(asked).items() if value not in (None, []))
    if unknown := sorted(name for name in set_ones if name not in known):
        raise Refused(
            Why.INVALID,
            f"this scheduler knows no filter {', '.join(unknown)}; it knows {', '.join(sorted(known))}. A later "
            "version may know more",
        )
    return from_struct(asked, kind)


def _page(records: Records, wanted: AnyFilter, part: Part) -> Page[Any]:
    match wanted:
        case JobFilter():
            return records.jobs(wanted, part)
        case RunFilter():
            return records.runs(wanted, part)
        case VerdictFilter():
            return records.verdicts(wanted, part)
        case FailureFilter():
            return records.failures(wanted, part)


def _part(
    request: pb.ListRecordsRequest | pb.CountRecordsRequest, *, after: str | None = None, sort: str | None = None
) -> Part:
    return Part(
        since=read_time(request.since) if request.HasField("since") else None,
        until=read_time(request.until) if request.HasField("until") else None,
        limit=request.limit or _PAGE,
        after=after,
        sort=sort,
    )


def _sort(kind: type[AnyFilter], text: str) -> str | None:
    return read_sort(list_of(kind()), text) if text else None
