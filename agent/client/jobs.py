"""A client of the service of submitted jobs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import grpc

from agent.api.v1 import job_pb2 as pb
from agent.api.v1 import job_pb2_grpc as grpc_pb
from agent.client.errors import translated_errors
from agent.client.resources import metadata

_SECONDS: Final = 60.0
"""The deadline of a call; a large file has thousands of jobs."""

_MOST_BYTES: Final = 64 << 20
"""The answer about a file of the smallest jobs is larger than the file."""


class JobClient:
    """Calls the API; see ``agent/api/v1/job.proto`` for what each call means."""

    def __init__(self, channel: grpc.Channel, *, address: str, who: str) -> None:
        self._address = address
        self._stub: Any = grpc_pb.JobServiceStub(channel)  # type: ignore[no-untyped-call]  # generated
        self._metadata = metadata(who)

    def submit(self, text: str, *, queue: str = "", dry_run: bool = False) -> Sequence[pb.SubmitResult]:
        request = pb.SubmitJobsRequest(text=text, queue=queue, dry_run=dry_run)
        return tuple(self._call(self._stub.SubmitJobs, request).results)

    def get(self, job_ids: Sequence[str]) -> Sequence[pb.Job]:
        """The jobs that exist, in the order of the ids."""
        return tuple(self._call(self._stub.GetJobs, pb.GetJobsRequest(job_ids=job_ids)).jobs)

    def cancel(self, job_ids: Sequence[str], *, reason: str = "") -> Sequence[pb.RequestResult]:
        request = pb.CancelJobsRequest(job_ids=job_ids, reason=reason)
        return tuple(self._call(self._stub.CancelJobs, request).results)

    def retry(self, job_ids: Sequence[str], *, again: bool = False, reason: str = "") -> Sequence[pb.RequestResult]:
        request = pb.RetryJobsRequest(job_ids=job_ids, again=again, reason=reason)
        return tuple(self._call(self._stub.RetryJobs, request).results)

    def never_retry(self, job_ids: Sequence[str], *, reason: str = "") -> Sequence[pb.RequestResult]:
        request = pb.NeverRetryJobsRequest(job_ids=job_ids, reason=reason)
        return tuple(self._call(self._stub.NeverRetryJobs, request).results)

    def confirm_stopped(
        self, names: Sequence[str], *, reason: str = "", dry_run: bool = False
    ) -> Sequence[pb.RunRequestResult]:
        """For whole ids of runs, or uids of their pods."""
        request = pb.ConfirmRunsStoppedRequest(names=names, reason=reason, dry_run=dry_run)
        return tuple(self._call(self._stub.ConfirmRunsStopped, request).results)

    def orphans(self) -> Sequence[pb.Orphan]:
        """By cluster, namespace and name."""
        return tuple(self._call(self._stub.GetOrphans, pb.GetOrphansRequest()).orphans)

    def _call(self, method: Any, request: object) -> Any:  # noqa: ANN401 - generated stubs have no types
        with translated_errors(self._address):
            return method(request, timeout=_SECONDS, metadata=self._metadata)


@contextmanager
def connect(address: str, *, who: str) -> Iterator[JobClient]:
    """Open a channel to ``host:port``; calls raise ApiError."""
    options = [("grpc.max_receive_message_length", _MOST_BYTES)]
    with grpc.insecure_channel(address, options=options) as channel:
        yield JobClient(channel, address=address, who=who)
