"""A client of the service of records."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import grpc

from agent.api.v1 import records_pb2 as pb
from agent.api.v1 import records_pb2_grpc as grpc_pb
from agent.client.errors import translated_errors
from agent.client.resources import metadata

_SECONDS: Final = 60.0
"""The deadline of a call; a list that no index answers reads many rows."""

_MOST_BYTES: Final = 256 << 20
"""A timeline has every run of a job, with its failures."""


class RecordClient:
    """Calls the API; see ``agent/api/v1/records.proto`` for what each call means."""

    def __init__(self, channel: grpc.Channel, *, address: str, who: str) -> None:
        self._address = address
        self._stub: Any = grpc_pb.RecordServiceStub(channel)  # type: ignore[no-untyped-call]  # generated
        self._metadata = metadata(who)

    def list(self, request: pb.ListRecordsRequest) -> pb.ListRecordsResponse:
        page: pb.ListRecordsResponse = self._call(self._stub.ListRecords, request)
        return page

    def count(self, request: pb.CountRecordsRequest) -> pb.CountRecordsResponse:
        counts: pb.CountRecordsResponse = self._call(self._stub.CountRecords, request)
        return counts

    def find(self, text: str) -> pb.FindNameResponse:
        found: pb.FindNameResponse = self._call(self._stub.FindName, pb.FindNameRequest(text=text))
        return found

    def shorten(self, ends: Mapping[str, Sequence[str]]) -> Mapping[str, str]:
        names = [pb.NameEnds(id=whole, ends=some) for whole, some in ends.items()]
        return dict(self._call(self._stub.ShortenNames, pb.ShortenNamesRequest(names=names)).names)

    def timeline(self, identifier: str, *, newest: int | None) -> pb.GetTimelineResponse:
        request = pb.GetTimelineRequest(id=identifier, newest=newest or 0)
        found: pb.GetTimelineResponse = self._call(self._stub.GetTimeline, request)
        return found

    def effective(self, *, queue: str = "", annotation: str = "", job_id: str = "") -> pb.GetEffectivePoliciesResponse:
        request = pb.GetEffectivePoliciesRequest(queue=queue, annotation=annotation, job_id=job_id)
        found: pb.GetEffectivePoliciesResponse = self._call(self._stub.GetEffectivePolicies, request)
        return found

    def decide(self, text: str) -> Sequence[pb.ScenarioVerdict]:
        return tuple(self._call(self._stub.Decide, pb.DecideRequest(text=text)).verdicts)

    def _call(self, method: Any, request: object) -> Any:  # noqa: ANN401 - generated stubs have no types
        with translated_errors(self._address):
            return method(request, timeout=_SECONDS, metadata=self._metadata)


@contextmanager
def connect(address: str, *, who: str) -> Iterator[RecordClient]:
    """Open a channel to ``host:port``; calls raise ApiError."""
    options = [("grpc.max_receive_message_length", _MOST_BYTES)]
    with grpc.insecure_channel(address, options=options) as channel:
        yield RecordClient(channel, address=address, who=who)
