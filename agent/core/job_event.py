"""Job events: what the scheduler decided about jobs, for whoever follows them. No behaviour, no I/O."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from agent.core.lifecycle.job import Ending
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction


class JobSubmitted(Struct, frozen=True, gc=False, kw_only=True):
    """What was submitted, but for the pod. A larger ``priority`` is later, as in Armada.

    ``retry_policies`` are those that its annotation names, separated by commas.
    """

    client_id: str = ""
    name: str = ""
    priority: float = 0.0
    gang_id: str = ""
    retry_policies: str = ""


class RunLeased(Struct, frozen=True, gc=False, kw_only=True):
    """A cluster gets a run. ``index``, ``attempt``, ``pod_name`` and ``granted`` are as in ``lifecycle.run.JobRun``."""

    run_id: str
    index: int
    attempt: int
    cluster_id: str
    cluster: str
    pod_name: str
    granted: bool = False


class LeaseRejected(Struct, frozen=True, gc=False, kw_only=True):
    """The cluster did not take a run. Another may be leased from ``retry_at`` on; ``None``: none follows."""

    run_id: str
    retry_at: datetime | None
    reason: str


class MemoryRaised(Struct, frozen=True, gc=False, kw_only=True):
    """The memory of one container in bytes, before and in the next run; ``None`` if the pod does not set it."""

    container: str
    request_before: int | None = None
    request_after: int | None = None
    limit_before: int | None = None
    limit_after: int | None = None


class RunDecided(Struct, frozen=True, gc=False, kw_only=True):
    """The verdict on a run; of a pod that nobody submitted, what would happen.

    ``failure_id`` is the event that it was made on. ``reason`` is a word of ``agent.core.limit.Reason``, of which later
    versions may know more. ``rule`` is the name of the rule or what it matches, ``rule_number`` its place in its
    policy, from 1; ``None`` if no rule decided. ``delay`` is ``None`` unless the action is retry, ``not_before`` unless
    a policy grants one. ``avoid_preferred``: the next run goes to these nodes anyway if nothing else is free.
    """

    run_id: str
    attempt: int | None
    failure_id: str
    action: VerdictAction
    reason: str
    sentence: str
    policy: str = ""
    rule_number: int | None = None
    rule: str = ""
    rule_key: str = ""
    dialect: str = ""
    delay: timedelta | None = None
    not_before: datetime | None = None
    avoid_nodes: tuple[str, ...] = ()
    avoid_nodes_left_out: int = 0
    avoid_preferred: bool = False
    memory: tuple[MemoryRaised, ...] = ()
    memory_left_out: int = 0


class RequestKind(StrEnum):
    """What a person asked for."""

    CANCEL = "cancel"
    RETRY = "retry"
    NEVER_RETRY = "never-retry"
    CONFIRM_STOPPED = "confirm-stopped"


class JobRequested(Struct, frozen=True, gc=False, kw_only=True):
    """What somebody asked for. ``refused`` says why it was refused; empty if it was done."""

    kind: RequestKind
    by: str
    reason: str = ""
    refused: str = ""


class StateChanged(Struct, frozen=True, gc=False):
    """Nothing else than the job's state, or how it ended."""


JobContent = JobSubmitted | RunLeased | LeaseRejected | RunDecided | JobRequested | StateChanged
"""What was decided."""


class JobEvent(Struct, frozen=True, gc=False, kw_only=True):
    """One thing that was decided about one job, written in the transaction that decided it.

    ``event_id`` is the same whenever the same is decided again. ``sequence`` rises by one with each event of the job;
    that of its submission has 1. ``at`` is by the clock of the scheduler's store. ``owner`` submitted the job.

    ``state`` and ``ending`` are those after the transaction, so the event with the highest sequence has those of now.
    A job that nobody submitted has neither.
    """

    event_id: str
    job_id: str
    sequence: int
    at: datetime
    event: JobContent
    queue: str = ""
    job_set: str = ""
    owner: str = ""
    namespace: str = ""
    state: State | None = None
    ending: Ending | None = None
