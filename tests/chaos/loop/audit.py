"""The audit of one round: what should not be, as findings in words, from the records alone. Pure.

Each finding names the job, so that it can be looked up in the store and the logs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never

from agent.core.job_event import RequestKind
from agent.core.lifecycle.job import EndedBy
from agent.core.lifecycle.run import Closing
from agent.core.lifecycle.state import FINAL, State
from agent.core.limit import VerdictAction
from agent.core.run_command import CreateRun, DiscardRun, RunCommand, StartRun, StopRun
from agent.core.run_event import RunPhase
from agent.demo.outcome import after_end
from agent.simulator.ledger import overlaps
from tests.chaos.loop.model import End
from tests.chaos.loop.records import EndingRecord, Records, RunRecord, VerdictRecord

_REQUEST_OF: Final = {EndedBy.CANCEL: RequestKind.CANCEL, EndedBy.NEVER_RETRY: RequestKind.NEVER_RETRY}


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What should not be. ``lost``: jobs that are gone, did not end, or ended otherwise than the model says.

    Messages that became dead letters are lost as well.
    """

    overlaps: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    after_end: int = 0
    verdicts_without_effect: list[str] = field(default_factory=list)
    effects_without_verdict: list[str] = field(default_factory=list)

    def words(self) -> Iterator[str]:
        """All of them, a line each."""
        for name in ("overlaps", "lost", "verdicts_without_effect", "effects_without_verdict"):
            yield from (f"{name}: {found}" for found in getattr(self, name))
        if self.after_end:
            yield f"after_end: {self.after_end} runs were leased after their job had ended"


def audit(records: Records, expected: Mapping[str, End]) -> Findings:
    """Compare the records with each other, and the jobs with how they must end, by their ids."""
    by_job = _ByJob(records)
    return Findings(
        overlaps=[f"job {each.job_id}: pods {' and '.join(each.pod_uids)}" for each in overlaps(records.containers)],
        lost=[*_lost(by_job, expected)],
        after_end=after_end(records.leased, records.closures),
        verdicts_without_effect=[*_without_effect(by_job)],
        effects_without_verdict=[*_without_verdict(by_job)],
    )


class _ByJob:
    """The records of each job."""

    def __init__(self, records: Records) -> None:
        self.all: Final = records
        self.runs = defaultdict[str, list[RunRecord]](list)
        self.verdicts: Final[Mapping[str, VerdictRecord]] = {each.run_id: each for each in records.verdicts}
        self.endings: Final[Mapping[str, EndingRecord]] = {each.job_id: each for each in records.endings}
        self.asked: Final = {(each.job_id, each.kind) for each in records.requests if not each.outcome}
        self.by_id: Final = {run.run_id: run for run in records.runs}
        for run in records.runs:
            self.runs[run.job_id].append(run)

    def actions(self, job_id: str) -> tuple[VerdictAction, ...]:
        """The verdicts on the runs of a job, in their order."""
        return tuple(self.verdicts[run.run_id].action for run in self.runs[job_id] if run.run_id in self.verdicts)


def _lost(of: _ByJob, expected: Mapping[str, End]) -> Iterator[str]:
    for job_id, end in expected.items():
        state, ending = of.all.jobs.get(job_id), of.endings.get(job_id)
        if state is None:
            yield f"job {job_id} was submitted, and the store does not have it"
        elif State(state) not in FINAL or ending is None:
            yield f"job {job_id} is {state}, and must be {end.state}"
        elif (state, ending.by, of.actions(job_id)) != (end.state, end.by, end.verdicts):
            found = f"{state} by {ending.by} after {[*map(str, of.actions(job_id))]}"
            yield f"job {job_id} is {found}, and must be {end.state} by {end.by} after {[*map(str, end.verdicts)]}"
    for topic, number in Counter(of.all.dead_letters).items():
        yield f"{number} messages of {topic} are dead letters"


def _without_effect(of: _ByJob) -> Iterator[str]:
    """Verdicts, endings and requests of which nothing came."""
    for verdict in of.all.verdicts:
        run = of.by_id.get(verdict.run_id)
        if run is None or not _had_effect(of, verdict, run):
            yield f"job {verdict.job_id}: {verdict.action} of run {verdict.run_id} ({verdict.about})"
    for job_id, kind in of.asked:
        if kind is RequestKind.CANCEL and job_id not in of.endings:
            yield f"job {job_id}: its cancellation ended nothing"
    yield from _never_stopped(of)
    if of.all.waiting:
        yield f"{of.all.waiting} messages of the outbox were not published"


def _had_effect(of: _ByJob, verdict: VerdictRecord, run: RunRecord) -> bool:
    """A retry: a run follows, or what ended the job instead. A fail: it ended the job."""
    ending = of.endings.get(verdict.job_id)
    if verdict.action is VerdictAction.FAIL:
        return ending is not None
    follows = any(each.index == run.index + 1 for each in of.runs[verdict.job_id])
    return follows or (ending is not None and ending.by != EndedBy.VERDICT)


def _never_stopped(of: _ByJob) -> Iterator[str]:
    """Containers that go on although their run is closed."""
    for each in of.all.containers:
        run = of.by_id.get(each.run_id)
        if each.ended_at is None and (run is None or run.closed_why is not None):
            yield f"job {each.job_id}: the stop of pod {each.pod_uid} never came, its container {each.container} runs"


def _without_verdict(of: _ByJob) -> Iterator[str]:
    """Runs, endings, containers and commands that nothing explains."""
    yield from (f"job {run.job_id}: run {run.run_id}" for run in of.all.runs if not _is_explained(of, run))
    yield from (f"job {each.job_id}: ended by {each.by}" for each in of.all.endings if not _may_end(of, each))
    yield from _unaccepted(of)
    yield from _unexplained_commands(of)


def _is_explained(of: _ByJob, run: RunRecord) -> bool:
    """Whether it is the first run, one in the place of a rejected run, or one that a verdict granted."""
    earlier = [each for each in of.runs[run.job_id] if each.place < run.place]
    if not earlier:
        return run.index == 0
    before = earlier[-1]
    if before.closed_why == Closing.REJECTED:
        return run.index == before.index
    verdict = of.verdicts.get(before.run_id)
    return run.index == before.index + 1 and verdict is not None and verdict.action is VerdictAction.RETRY


def _may_end(of: _ByJob, ending: EndingRecord) -> bool:
    runs = [run for run in of.runs[ending.job_id] if run.closed_why != Closing.REJECTED]
    match EndedBy(ending.by):
        case EndedBy.SUCCESS:
            return bool(runs) and runs[-1].phase == RunPhase.SUCCEEDED
        case EndedBy.VERDICT:
            return of.actions(ending.job_id)[-1:] == (VerdictAction.FAIL,)
        case EndedBy.CANCEL | EndedBy.NEVER_RETRY as by:
            return (ending.job_id, _REQUEST_OF[by]) in of.asked
        case EndedBy.LIMIT:
            return False  # no limit is lowered


def _unaccepted(of: _ByJob) -> Iterator[str]:
    """Pods that ran without having been recorded."""
    recorded = {run.uid for run in of.all.runs}
    strangers = {each.pod_uid: each for each in of.all.containers if each.pod_uid not in recorded}
    yield from (f"job {each.job_id}: pod {uid} ran, and no run recorded it" for uid, each in strangers.items())


def _unexplained_commands(of: _ByJob) -> Iterator[str]:
    """Commands that no run explains, those of one kind and run once."""
    for name, job_id, run_id in {
        (type(each.command).__name__, each.job_id, each.run_id) for each in of.all.commands if not _explains(of, each)
    }:
        yield f"job {job_id}: {name} of run {run_id}"


def _explains(of: _ByJob, command: RunCommand) -> bool:
    """Whether the run of the command is one that gives such a command."""
    run = of.by_id.get(command.run_id)
    match command.command:
        case CreateRun() | DiscardRun():
            return run is not None
        case StartRun(pod=pod):
            return run is not None and run.uid == pod.uid
        case StopRun(pod=pod):
            return run is not None and run.uid == pod.uid and run.closed_why is not None
        case _ as unreachable:
            assert_never(unreachable)
