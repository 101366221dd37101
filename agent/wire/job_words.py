"""Enumerations about jobs in core <-> those of the contract."""

from agent.api.v1 import job_event_pb2 as pb
from agent.api.v1 import job_pb2
from agent.core.job_event import RequestKind
from agent.core.lifecycle.job import EndedBy
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction
from agent.wire.words import Words

STATES = Words(
    "state of a job",
    {
        State.QUEUED: job_pb2.JOB_STATE_QUEUED,
        State.LEASED: job_pb2.JOB_STATE_LEASED,
        State.PENDING: job_pb2.JOB_STATE_PENDING,
        State.RUNNING: job_pb2.JOB_STATE_RUNNING,
        State.RETRY_WAITING: job_pb2.JOB_STATE_RETRY_WAITING,
        State.STOPPING: job_pb2.JOB_STATE_STOPPING,
        State.SUCCEEDED: job_pb2.JOB_STATE_SUCCEEDED,
        State.FAILED: job_pb2.JOB_STATE_FAILED,
        State.CANCELLED: job_pb2.JOB_STATE_CANCELLED,
    },
)

ENDED_BY = Words(
    "end of a job",
    {
        EndedBy.SUCCESS: pb.ENDED_BY_SUCCESS,
        EndedBy.VERDICT: pb.ENDED_BY_VERDICT,
        EndedBy.CANCEL: pb.ENDED_BY_CANCEL,
        EndedBy.NEVER_RETRY: pb.ENDED_BY_NEVER_RETRY,
        EndedBy.LIMIT: pb.ENDED_BY_LIMIT,
    },
)

VERDICT_ACTIONS = Words(
    "action of a verdict",
    {VerdictAction.RETRY: pb.VERDICT_ACTION_RETRY, VerdictAction.FAIL: pb.VERDICT_ACTION_FAIL},
)

REQUEST_KINDS = Words(
    "kind of request",
    {
        RequestKind.CANCEL: pb.REQUEST_KIND_CANCEL,
        RequestKind.RETRY: pb.REQUEST_KIND_RETRY,
        RequestKind.NEVER_RETRY: pb.REQUEST_KIND_NEVER_RETRY,
        RequestKind.CONFIRM_STOPPED: pb.REQUEST_KIND_CONFIRM_STOPPED,
    },
)
