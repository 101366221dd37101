"""The sequential model: how a scripted job ends if nothing dies and every message arrives once, in order. Pure.

The runs follow one after the other through ``agent.core.lifecycle``; the verdicts come from the limits of the policy.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Refused, WriteVerdict
from agent.core.lifecycle.inputs import (
    Cancel,
    Input,
    Leased,
    NeverRetry,
    PhaseReported,
    RunCreated,
    RunFailed,
    RunStopped,
)
from agent.core.lifecycle.job import EndedBy, SubmittedJob
from agent.core.lifecycle.run import Fail, GracefulShutdown, LostCluster, RetryAt, RunTerms, RunVerdict
from agent.core.lifecycle.state import FINAL, State
from agent.core.limit import VerdictAction
from agent.core.run_event import Confirmation, RunPhase, StopAnswer
from tests.chaos.loop.jobs import Asked, Fault, Play, ScriptedJob
from tests.chaos.loop.policy import LIMITS

_CLUSTER: Final = "cluster"
_TERMS: Final = RunTerms(
    lost_cluster=LostCluster.WAIT, graceful_shutdown=GracefulShutdown.CONFIRMED, grace=timedelta(seconds=30)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a job ended, and the verdicts on its runs in their order."""

    state: State
    by: EndedBy
    verdicts: tuple[VerdictAction, ...]


def end_of(scripted: ScriptedJob) -> End:
    """How the job must end."""
    life = _Life(scripted)
    if scripted.asked is Asked.CANCEL_AT_ONCE:
        life.pass_on(Cancel())
    while life.job.state not in FINAL:
        life.run()
    ending = life.job.ending
    assert ending is not None
    return End(state=ending.state, by=ending.by, verdicts=tuple(life.verdicts))


class _Life:
    """A job that advances, one input after the other."""

    def __init__(self, scripted: ScriptedJob) -> None:
        self.job = SubmittedJob(job_id=str(scripted.number))
        self.verdicts: list[VerdictAction] = []
        self._scripted = scripted
        self._granted: Counter[Fault] = Counter()
        self._now = datetime(2026, 11, 26, tzinfo=UTC)

    def run(self) -> None:
        """Play the next run to its end."""
        following = self.job.next
        assert following is not None
        index, run_id = following.index, f"run-{following.index}"
        play, uid = self._scripted.play(index), f"pod-{index}"
        self.pass_on(Leased(run_id=run_id, cluster=_CLUSTER, terms=_TERMS))
        self.pass_on(RunCreated(run_id=run_id, cluster=_CLUSTER, uid=uid))
        if play.fault is not Fault.STUCK:
            self.pass_on(PhaseReported(cluster=_CLUSTER, uid=uid, phase=RunPhase.RUNNING))
        match self._scripted.asked:
            case Asked.CANCEL:
                self.pass_on(Cancel())
                self.pass_on(_stopped(uid))
            case Asked.NEVER_RETRY:
                self.pass_on(NeverRetry())
                self._end(play, uid)
            case _:
                self._end(play, uid)

    def pass_on(self, given: Input) -> None:
        self._now += timedelta(seconds=1)
        step = advance(self.job, given, self._now)
        assert not isinstance(step, Refused), (given, step)
        self.job = step.job
        written = [effect.verdict for effect in step.effects if isinstance(effect, WriteVerdict)]
        self.verdicts += [VerdictAction.FAIL if isinstance(each, Fail) else VerdictAction.RETRY for each in written]

    def _end(self, play: Play, uid: str) -> None:
        proof = Confirmation.CONTAINERS
        if play.fault is None:
            self.pass_on(PhaseReported(cluster=_CLUSTER, uid=uid, phase=RunPhase.SUCCEEDED, confirmed=proof))
            return
        stuck = play.fault is Fault.STUCK
        verdict = self._verdict(play.fault)
        self.pass_on(RunFailed(cluster=_CLUSTER, uid=uid, verdict=verdict, confirmed=None if stuck else proof))
        if stuck:
            self.pass_on(_stopped(uid))

    def _verdict(self, fault: Fault) -> RunVerdict:
        if self.job.never_retry or self._granted[fault] >= LIMITS.get(fault, 0):
            return Fail()
        self._granted[fault] += 1
        return RetryAt(at=self._now)


def _stopped(uid: str) -> RunStopped:
    return RunStopped(cluster=_CLUSTER, uid=uid, answer=StopAnswer.FAILED_BEFORE, confirmed=Confirmation.CONTAINERS)
