"""The gRPC service of submitted jobs: requests in, messages out, every error with its code."""

from typing import Any

from agent.api.v1 import job_pb2 as pb
from agent.api.v1 import job_pb2_grpc as grpc_pb
from agent.scheduler.service.answering import answering, who
from agent.scheduler.service.confirming import StopConfirmations
from agent.scheduler.service.job_messages import of_confirmed, of_orphan, of_requested, of_standing, of_submitted
from agent.scheduler.service.requesting import JobRequests
from agent.scheduler.service.submitted_pods import SubmittedPods
from agent.scheduler.service.submitting import Submissions


class JobServicer(grpc_pb.JobServiceServicer):
    """Serves jobs."""

    def __init__(
        self,
        *,
        submissions: Submissions,
        pods: SubmittedPods,
        requests: JobRequests,
        confirmations: StopConfirmations,
    ) -> None:
        self._submissions = submissions
        self._pods = pods
        self._requests = requests
        self._confirmations = confirmations

    def SubmitJobs(self, request: pb.SubmitJobsRequest, context: Any) -> pb.SubmitJobsResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            done = self._submissions.submit(
                request.text, queue=request.queue, who=who(context), dry_run=request.dry_run
            )
            return pb.SubmitJobsResponse(results=map(of_submitted, done))

    def GetJobs(self, request: pb.GetJobsRequest, context: Any) -> pb.GetJobsResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            return pb.GetJobsResponse(jobs=map(of_standing, self._requests.get(request.job_ids)))

    def GetSubmittedPod(self, request: pb.GetSubmittedPodRequest, context: Any) -> pb.GetSubmittedPodResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            text, shown = self._pods.read(request.job_id, who=who(context))
            return pb.GetSubmittedPodResponse(yaml=text, redacted=shown.redacted)

    def CancelJobs(self, request: pb.CancelJobsRequest, context: Any) -> pb.CancelJobsResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            done = self._requests.cancel(
                request.job_ids, who=who(context), reason=request.reason, dry_run=request.dry_run
            )
            return pb.CancelJobsResponse(results=map(of_requested, done))

    def RetryJobs(self, request: pb.RetryJobsRequest, context: Any) -> pb.RetryJobsResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            done = self._requests.retry(
                request.job_ids,
                again=request.again,
                who=who(context),
                reason=request.reason,
                dry_run=request.dry_run,
            )
            return pb.RetryJobsResponse(results=map(of_requested, done))

    def NeverRetryJobs(self, request: pb.NeverRetryJobsRequest, context: Any) -> pb.NeverRetryJobsResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            done = self._requests.never_retry(
                request.job_ids, who=who(context), reason=request.reason, dry_run=request.dry_run
            )
            return pb.NeverRetryJobsResponse(results=map(of_requested, done))

    def ConfirmRunsStopped(  # noqa: N802 - gRPC's
        self,
        request: pb.ConfirmRunsStoppedRequest,
        context: Any,  # noqa: ANN401 - gRPC's
    ) -> pb.ConfirmRunsStoppedResponse:
        with answering(context):
            done = self._confirmations.confirm(
                request.names, who=who(context), reason=request.reason, dry_run=request.dry_run
            )
            return pb.ConfirmRunsStoppedResponse(results=map(of_confirmed, done))

    def GetOrphans(self, request: pb.GetOrphansRequest, context: Any) -> pb.GetOrphansResponse:  # noqa: ANN401, N802 - gRPC's
        del request
        with answering(context):
            return pb.GetOrphansResponse(orphans=map(of_orphan, self._confirmations.orphans()))
