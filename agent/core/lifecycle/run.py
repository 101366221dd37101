"""One run of a submitted job: one value, as its row holds it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from agent.core.run_event import Confirmation, RunPhase, StopAnswer


class LostCluster(StrEnum):
    """What happens to a run whose cluster is silent: a verdict after its lease, or nothing until it returns."""

    REPLACE = "replace"
    WAIT = "wait"


class GracefulShutdown(StrEnum):
    """What the next run waits for: the stop or the grace period, whichever is first, or only the confirmed stop."""

    TIMER = "timer"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTerms:
    """Fixed when the run is leased, for scheduler and agent alike. ``grace`` counts from the closing of the run."""

    lost_cluster: LostCluster
    graceful_shutdown: GracefulShutdown
    grace: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryAt:
    """The verdict Retry: the next run starts no earlier than this."""

    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """The verdict Fail: no run follows."""


RunVerdict = RetryAt | Fail


class Closing(StrEnum):
    """What closed a run."""

    SUCCESS = "success"
    VERDICT = "verdict"
    ENDING = "ending"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    why: Closing
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NameHeld:
    """An earlier pod of ours has the name of this run's pod; its create waits in the cluster."""

    uid: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """One run. It is open until ``closed``; a run with another ``run_id`` follows it, never the same one.

    ``index`` counts runs that may have had a pod, ``attempt`` what verdicts granted; both count from 0. A run that a
    person granted has an index of its own and no attempt. ``cluster`` and ``uid`` (``None`` until recorded) identify
    the pod. ``pod_name`` is what every create of the run names it, whatever the settings say by then; later the name of
    the recorded pod.
    ``phase`` ``pending`` means that the agent removed our gate. ``sent`` is how often the command that is to be
    answered was sent, ``sent_at`` when last.
    """

    run_id: str
    index: int
    attempt: int
    cluster: str
    terms: RunTerms
    pod_name: str
    opened_at: datetime
    sent_at: datetime
    sent: int = 1
    generation: int = 0
    granted: bool = False
    uid: str | None = None
    node: str = ""
    phase: RunPhase | None = None
    name_held: NameHeld | None = None
    closed: Closed | None = None
    verdict: RunVerdict | None = None
    grant_returned: bool = False
    answered: StopAnswer | None = None
    confirmed: Confirmation | None = None

    @property
    def is_open(self) -> bool:
        return self.closed is None

    @property
    def was_rejected(self) -> bool:
        return self.closed is not None and self.closed.why is Closing.REJECTED

    @property
    def may_still_live(self) -> bool:
        """Whether its pod may run: read from what was confirmed, never from how the run ended."""
        return self.uid is not None and self.confirmed is None
