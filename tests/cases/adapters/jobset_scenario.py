"""The scenarios of ``jobset-failure-policy.json``: a JobSet, and what happens to its Jobs step after step."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from agent.core.jobset.child import RESTART_ATTEMPT
from agent.core.jobset.condition import RESTARTING
from agent.core.jobset.play import JobSetPlay
from tests.cases.adapter import Differs, expect
from tests.cases.adapters.jobset_words import NOW, jobset_of
from tests.cases.case import Case

_NAME = "js"
_STATES = {"": "active", "Failed": "failed", "Completed": "completed"}

Written = Mapping[str, Any]


def play_scenario(case: Case) -> None:
    """Play a scenario; after each step what it expects must be so."""
    play = JobSetPlay(jobset=jobset_of(case.data, name=_NAME), now=NOW, lingering=True)
    play.settle()
    for place, step in enumerate(case.data["steps"]):
        _DO[step["do"]](play, step)
        for what, wanted in step.get("expect", {}).items():
            expect(wanted, _SEEN[what](play), of=f"step {place}: {what}")


def _fail(play: JobSetPlay, step: Written) -> None:
    play.fail(f"{_NAME}-{step['job']}", reason=step.get("reason", ""), message=step.get("message", ""))


def _complete(play: JobSetPlay, step: Written) -> None:
    play.complete(f"{_NAME}-{step['job']}")


def _complete_all(play: JobSetPlay, step: Written) -> None:
    del step
    for name in list(play.children):
        if name in play.children and not play.status.finished:
            play.complete(name)


def _ready_all(play: JobSetPlay, step: Written) -> None:
    del step
    play.make_ready(list(play.children))


def _finish(play: JobSetPlay, step: Written) -> None:
    deleting = sum(job.deleting for job in play.children.values())
    if deleting < step["count"]:
        raise Differs(f"{step['count']} deletions are to finish, {deleting} were begun")
    play.finish_deletions(step["count"])


_DO: Mapping[str, Callable[[JobSetPlay, Written], None]] = {
    "failJob": _fail,
    "completeJob": _complete,
    "completeAllJobs": _complete_all,
    "readyAllJobs": _ready_all,
    "finishDeletions": _finish,
}


def _first(play: JobSetPlay) -> str:
    return play.jobset.spec.replicated_jobs[0].name


def _restarts(play: JobSetPlay, *, counted: bool) -> list[int] | None:
    """Restarts of single Jobs of the first replicated job."""
    said = play.status.replicated(_first(play))
    counts = None if said is None else said.job_restarts_counted if counted else said.job_restarts
    return None if counts is None else list(counts)


def _reason(play: JobSetPlay) -> str | None:
    return None if play.status.finished is None else play.status.finished.reason


def _restarting(play: JobSetPlay) -> dict[str, str] | None:
    said = play.status.condition(RESTARTING)
    return None if said is None else {"status": said.status, "reason": said.reason}


def _attempts(play: JobSetPlay) -> dict[str, int]:
    return dict(Counter(job.labels[RESTART_ATTEMPT] for job in play.children.values()))


_SEEN: Mapping[str, Callable[[JobSetPlay], object]] = {
    "state": lambda play: _STATES[play.status.terminal_state],
    "conditionReason": _reason,
    "restarts": lambda play: play.status.restarts,
    "restartsCountTowardsMax": lambda play: play.status.restarts_counted,
    "jobRestarts": lambda play: _restarts(play, counted=False),
    "jobRestartsCountTowardsMax": lambda play: _restarts(play, counted=True),
    "restartingCondition": _restarting,
    "jobsByRestartAttempt": _attempts,
}
