"""The result of a step: values for the caller to write in the transaction that writes the job."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.lifecycle.job import Ending, SubmittedJob
from agent.core.lifecycle.run import RunVerdict
from agent.core.lifecycle.state import State
from agent.core.lifecycle.waits import Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """Command: make the gated pod of this run, unless it is there. Its name is the run's."""

    cluster: str
    run_id: str
    index: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Command: remove our gate from the pod with this uid."""

    cluster: str
    run_id: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Command: delete the pod with this uid, and answer with a ``RunStopped``."""

    cluster: str
    run_id: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard:
    """Command: delete the pod with this uid if it still has our gate. Also for a run of an unknown job."""

    cluster: str
    run_id: str
    uid: str


Command = Create | Start | Stop | Discard


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteVerdict:
    """Write the verdict that came with the input; without this effect there is none to write."""

    run_id: str
    verdict: RunVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteEnding:
    ending: Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnGrant:
    """The retry that the verdict on this run granted is not counted: the run succeeded after all."""

    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """Job event."""

    before: State
    after: State


Effect = Command | WriteVerdict | WriteEnding | ReturnGrant | StateChanged


@dataclass(frozen=True, slots=True)
class Step:
    """The job after an input, and the effects in order. An unchanged job: the input is a repeat, or evidence."""

    job: SubmittedJob
    effects: tuple[Effect, ...] = ()


class Refusal(StrEnum):
    """Why an input changes nothing.

    ``UNKNOWN_UID``: keep the event, and pass it again if that uid is recorded. ``RUN_OPEN``: of a report, the pod of an
    open run is gone, so decide its failure. ``NEVER_RETRY``: decide again. The caller shows the others.
    """

    UNKNOWN_UID = "unknown-uid"
    UNKNOWN_RUN = "unknown-run"
    RUN_CLOSED = "run-closed"
    RUN_OPEN = "run-open"
    NOTHING_TO_LEASE = "nothing-to-lease"
    WAITS = "waits"
    NEVER_RETRY = "never-retry"
    LOST_CLUSTER_WAITS = "lost-cluster-waits"
    QUEUED = "queued"
    NEEDS_AGAIN = "needs-again"
    ENDED = "ended"
    NOT_WAITING = "not-waiting"
    GRANTED_BY_PERSON = "granted-by-person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The input has no effect. ``ending`` or ``wait`` say more where there is one."""

    why: Refusal
    ending: Ending | None = None
    wait: Wait | None = None
