"""What can happen to a submitted job. A pod is named by the id of its cluster and its uid, never by labels."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from agent.core.lifecycle.names import DEFAULT_NAMES, PodNames
from agent.core.lifecycle.run import RunTerms, RunVerdict
from agent.core.run_event import Confirmation, RunPhase, StopAnswer

ReportedPhase = Literal[RunPhase.PENDING, RunPhase.RUNNING, RunPhase.SUCCEEDED]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leased:
    """The pass chose a cluster for the next run. ``generation`` is that of its gang, ``names`` give its pod's."""

    run_id: str
    cluster: str
    terms: RunTerms
    generation: int = 0
    names: PodNames = DEFAULT_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCreated:
    """The agent sees a gated pod of this run. ``run_id`` is what its labels say, which anybody may have written.

    ``pod_name`` is its name; empty: that of the run's create.
    """

    run_id: str
    cluster: str
    uid: str
    pod_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseReported:
    """``pending``: our gate is gone. ``succeeded`` comes with what confirms that all containers ended, if known."""

    cluster: str
    uid: str
    phase: ReportedPhase
    node: str = ""
    confirmed: Confirmation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed:
    """The run ended or must be stopped, with the verdict. Without ``confirmed`` its pod may still live."""

    cluster: str
    uid: str
    verdict: RunVerdict
    node: str = ""
    confirmed: Confirmation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedPodDeleted:
    """Somebody deleted the pod while it had our gate: the object had a deletionTimestamp and no node."""

    cluster: str
    uid: str
    verdict: RunVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStopped:
    """The answer to a stop, and to a start of a pod that is gone.

    Of an open run it is refused unless the run succeeded: decide its failure instead.
    """

    cluster: str
    uid: str
    answer: StopAnswer
    confirmed: Confirmation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed:
    """Something proves that the pod no longer lives, or a person vouches for it. Refused of an open run: decide it."""

    cluster: str
    uid: str
    by: Confirmation


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRejected:
    """The cluster cannot take the run now (quota, terminating namespace, overload): try again later."""

    cluster: str
    run_id: str
    retry_at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CreationFailed:
    """The API server refused the pod: decided like a failure."""

    cluster: str
    run_id: str
    verdict: RunVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class NameTaken:
    """The create waits, because an earlier pod of ours with this uid has the name."""

    cluster: str
    run_id: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCreated:
    """A list of the cluster's pods, as of a time after the create was sent, proves that there is none of the run."""

    run_id: str
    as_of: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseExpired:
    """The cluster of the run has been silent for longer than its lease."""

    run_id: str
    verdict: RunVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Preempted:
    """The scheduler takes the run from its cluster."""

    run_id: str
    verdict: RunVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """A person cancels the job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A person grants one run outside all budgets, and lifts ``never-retry``. ``again``: also after a success."""

    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverRetry:
    """A person forbids further retries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitLowered:
    """A limit that was asked again forbids the retry that waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePassed:
    """A grace period may be over, a command due again."""


PodReport = PhaseReported | RunFailed | GatedPodDeleted | RunStopped | Confirmed
"""About a pod; refused unless its uid is recorded."""

RunReport = RunRejected | CreationFailed | NameTaken | NotCreated | LeaseExpired | Preempted
"""About a run by its id, before it has a pod or whatever its pod does."""

Request = Cancel | Retry | NeverRetry | LimitLowered
"""What people and operators ask for."""

Input = Leased | RunCreated | PodReport | RunReport | Request | TimePassed
