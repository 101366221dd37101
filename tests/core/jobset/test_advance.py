"""Steps of a JobSet: strategies, startup, success, suspension, delay, time to live, and restarts in place."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from agent.core.job.effects import RequeueAfter
from agent.core.job.status import JobCondition, JobStatus
from agent.core.jobset.advance import Observed, advance
from agent.core.jobset.apply import apply
from agent.core.jobset.case import ParentCase, Proposal
from agent.core.jobset.child import (
    JOB_INDEX,
    JOB_RESTART_ATTEMPT,
    REPLICATED_JOB,
    RESTART_ATTEMPT,
    ChildJob,
    FailedJob,
)
from agent.core.jobset.choices import Choices
from agent.core.jobset.decide import ActionError, weigh
from agent.core.jobset.effects import CreateJob, DeleteJob
from agent.core.jobset.gates import ALL_OFF, ALL_ON, Gates
from agent.core.jobset.in_place import ATTEMPT, PodInPlace
from agent.core.jobset.manifest import NOTHING, JobSet
from agent.core.jobset.owned import LabelError
from agent.core.jobset.play import JobSetPlay
from agent.core.jobset.status import JobSetStatus, ReplicatedJobStatus
from agent.core.retry.policy import BackoffPolicy
from tests.core.jobset.made import NOW, failed, jobset, play

IN_ORDER = {"startupPolicyOrder": "InOrder"}
MINUTE = timedelta(minutes=1)


def conditions(js: JobSetPlay) -> dict[str, tuple[str, str]]:
    return {condition.type: (condition.status, condition.reason) for condition in js.status.conditions}


def waiting(js: JobSetPlay) -> float | None:
    return None if js.wait is None else js.wait.total_seconds()


def begun(of: JobSet) -> JobSetPlay:
    js = JobSetPlay(jobset=of, now=NOW)
    js.settle()
    return js


def test_recreate_makes_each_job_as_soon_as_its_name_is_free() -> None:
    js = play(jobset({"maxRestarts": 1}), lingering=True)
    js.fail("js-a-0")
    assert all(job.deleting for job in js.children.values())
    js.finish_deletions(2)

    assert sorted((name, job.deleting) for name, job in js.children.items()) == [
        ("js-a-0", False),
        ("js-b-0", False),
        ("js-b-1", True),
    ]


def test_jobs_that_succeeded_are_created_again_too() -> None:
    js = play(jobset({"maxRestarts": 1}))
    js.complete("js-a-0")
    js.fail("js-b-0")

    assert js.status.replicated("a") == ReplicatedJobStatus(name="a")
    assert js.children["js-a-0"].labels[RESTART_ATTEMPT] == "1"


def test_a_restart_starts_in_order_again() -> None:
    js = begun(jobset({"maxRestarts": 1}, startupPolicy=IN_ORDER))
    assert list(js.children) == ["js-a-0"]
    js.make_ready(["js-a-0"])
    js.make_ready(["js-b-0", "js-b-1"])
    assert conditions(js)["StartupPolicyCompleted"] == ("True", "InOrderStartupPolicyCompleted")
    assert conditions(js)["StartupPolicyInProgress"][0] == "False"

    js.fail("js-b-1")
    assert list(js.children) == ["js-a-0"]
    assert conditions(js)["StartupPolicyInProgress"] == ("True", "InOrderStartupPolicyInProgress")
    assert conditions(js)["StartupPolicyCompleted"][0] == "False"


@pytest.mark.parametrize(
    ("policy", "ended_by"),
    [
        (None, "js-b-1"),
        ({"operator": "All"}, "js-b-1"),
        ({"operator": "Any"}, "js-a-0"),
        ({"operator": "Any", "targetReplicatedJobs": ["b"]}, "js-b-0"),
        ({"operator": "All", "targetReplicatedJobs": ["b"]}, "js-b-1"),
        ({"operator": "All", "targetReplicatedJobs": ["a"]}, "js-a-0"),
    ],
)
def test_success_comes_when_the_policy_says(policy: dict[str, Any] | None, ended_by: str) -> None:
    js = play(jobset(successPolicy=policy))
    for name in ("js-a-0", "js-b-0", "js-b-1"):
        js.complete(name)
        if js.status.finished is not None:
            break

    assert name == ended_by
    assert conditions(js) == {"Completed": ("True", "AllJobsCompleted")}
    assert js.status.terminal_state == "Completed"
    assert all(job.status.conditions for job in js.children.values())


def test_a_failure_comes_before_a_success() -> None:
    js = play(jobset(successPolicy={"operator": "Any"}))
    complete = JobStatus(conditions=(JobCondition(type="Complete"),))
    js.children["js-a-0"] = replace(js.children["js-a-0"], status=complete)
    js.fail("js-b-0")

    assert conditions(js) == {"Failed": ("True", "FailedJobs")}
    assert list(js.children) == ["js-a-0", "js-b-0"]


def test_suspended_jobs_wait_and_go_on_in_order() -> None:
    made = jobset({"maxRestarts": 1}, startupPolicy=IN_ORDER, suspend=True)
    js = begun(made)
    assert [job.spec.suspend for job in js.children.values()] == [True] * 3
    assert conditions(js) == {"Suspended": ("True", "SuspendedJobs")}

    js.jobset = replace(made, spec=replace(made.spec, suspend=False))
    js.settle()
    assert [name for name, job in js.children.items() if not job.spec.suspend] == ["js-a-0"]
    js.make_ready(["js-a-0"])
    js.make_ready(["js-b-0", "js-b-1"])
    assert conditions(js)["Suspended"] == ("False", "ResumeJobs")

    js.jobset = made
    js.settle()
    assert all(job.spec.suspend for job in js.children.values())
    assert conditions(js)["Suspended"] == ("True", "SuspendedJobs")


def test_a_restart_that_gets_suspended_restarts_no_longer() -> None:
    made = jobset({"maxRestarts": 1})
    js = play(made)
    js.fail("js-a-0")
    assert conditions(js)["RestartingJobSet"] == ("True", "DefaultFailurePolicy")
    js.jobset = replace(made, spec=replace(made.spec, suspend=True))
    js.settle()

    assert conditions(js)["RestartingJobSet"] == ("False", "JobSetSuspended")


@pytest.mark.parametrize("action", ["RestartJobSet", "RestartJob"])
def test_jobs_wait_for_the_delay_and_go_at_once(action: str) -> None:
    choices = Choices(delay=BackoffPolicy(initial=MINUTE))
    js = play(jobset({"maxRestarts": 1, "rules": [{"action": action}]}, choices=choices))
    js.fail("js-b-1")
    held = {"js-b-1"} if action == "RestartJob" else {"js-a-0", "js-b-0", "js-b-1"}
    assert held.isdisjoint(js.children)
    assert waiting(js) == 60

    js.pass_time(MINUTE - timedelta(seconds=1))
    assert held.isdisjoint(js.children)
    assert waiting(js) == 1
    js.pass_time(timedelta(seconds=1))
    assert set(js.children) == {"js-a-0", "js-b-0", "js-b-1"}
    assert waiting(js) is None
    assert not js.memory.held


def test_a_failed_jobset_deletes_what_runs_and_goes_when_its_time_is_over() -> None:
    js = play(jobset(ttlSecondsAfterFinished=60))
    js.fail("js-b-0")
    assert list(js.children) == ["js-b-0"]
    assert (js.wait, js.gone) == (MINUTE, False)

    js.pass_time(MINUTE)
    assert (js.gone, js.children) == (True, {})


def in_place(*attempts: int, restarts: int = 0, phase: str = "Running") -> tuple[PodInPlace, ...]:
    return tuple(
        PodInPlace(phase=phase, annotations={ATTEMPT: str(attempt)}, restarts=(restarts,)) for attempt in attempts
    )


@pytest.mark.parametrize(("gates", "current"), [(ALL_ON, 1), (ALL_OFF, None)])
def test_restarts_in_place_need_their_gate(gates: Gates, current: int | None) -> None:
    js = play(jobset({"maxRestarts": 1, "restartStrategy": "InPlaceRestart"}, gates=gates))
    js.pods = in_place(1, 1, 1)
    js.settle()

    assert js.status.current_in_place_attempt == current


def test_restarts_in_place_end_above_the_limit_without_naming_a_job() -> None:
    js = play(jobset({"maxRestarts": 1, "restartStrategy": "InPlaceRestart"}))
    js.pods = in_place(0, 1, 1)
    js.settle()
    assert js.status.previous_in_place_attempt == 0

    js.pods = in_place(1, 2, 1)
    js.settle()
    over = js.status.finished
    assert over is not None
    assert (over.reason, over.message) == (
        "ReachedMaxRestarts",
        "jobset failed due to reaching max number of restarts",
    )


def test_a_job_in_place_that_fails_is_restarted_by_the_policy() -> None:
    js = play(jobset({"maxRestarts": 1, "restartStrategy": "InPlaceRestart"}))
    js.fail("js-b-0")

    assert js.children["js-b-0"].labels[RESTART_ATTEMPT] == "1"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({}, f"missing label {RESTART_ATTEMPT}"),
        ({RESTART_ATTEMPT: "one"}, f"invalid value for label {RESTART_ATTEMPT}, must be integer"),
        ({RESTART_ATTEMPT: "0"}, f"missing label {REPLICATED_JOB}"),
        ({RESTART_ATTEMPT: "0", REPLICATED_JOB: "b"}, f"missing label {JOB_INDEX}"),
        (
            {RESTART_ATTEMPT: "0", REPLICATED_JOB: "b", JOB_INDEX: "2", JOB_RESTART_ATTEMPT: "0"},
            "job index 2 is out of bounds for replicated job b",
        ),
    ],
)
def test_a_job_whose_attempt_is_not_known_is_an_error(labels: dict[str, str], message: str) -> None:
    seen = Observed(children=(ChildJob(name="js-b-2", labels=labels),), now=NOW)
    with pytest.raises(LabelError, match=message):
        advance(jobset(), JobSetStatus(), NOTHING, seen)


def test_a_job_without_its_own_attempt_is_of_the_current_one() -> None:
    labels = {RESTART_ATTEMPT: "0", REPLICATED_JOB: "b", JOB_INDEX: "0"}
    seen = Observed(children=(ChildJob(name="js-b-0", labels=labels),), now=NOW)
    step = advance(jobset(), JobSetStatus(), NOTHING, seen)

    assert [effect.name for effect in step.effects if isinstance(effect, CreateJob)] == ["js-a-0", "js-b-1"]
    assert not [effect for effect in step.effects if isinstance(effect, DeleteJob | RequeueAfter)]


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (FailedJob(name="x", at=NOW), f"failed job x is missing label {REPLICATED_JOB}"),
        (FailedJob(name="x", at=NOW, labels={REPLICATED_JOB: "b"}), f"failed job x is missing label {JOB_INDEX}"),
        (
            FailedJob(name="x", at=NOW, labels={REPLICATED_JOB: "b", JOB_INDEX: "first"}),
            f"failed job x has an invalid value for label {JOB_INDEX}: first",
        ),
        (failed("b", 2), r"failed job js-b-2 has index 2 out of bounds for replicated job b \(replicas: 2\)"),
    ],
)
def test_a_single_job_that_labels_do_not_identify_is_an_error(job: FailedJob, message: str) -> None:
    made, status = jobset({"maxRestarts": 1}), JobSetStatus()
    said = Proposal(action="RestartJob", job=job, decider="a test")
    verdict = weigh(ParentCase(jobset=made, status=status, failed=(job,)), said)
    with pytest.raises(ActionError, match=message):
        apply(verdict, status, made.spec, now=NOW)


def test_a_list_of_restarts_that_is_too_short_is_made_longer() -> None:
    made = jobset({"maxRestarts": 9}, replicas={"b": 3})
    short = ReplicatedJobStatus(name="b", job_restarts=(4,), job_restarts_counted=(2,))
    status = JobSetStatus(replicated_jobs=(short,))
    said = Proposal(action="RestartJob", job=failed("b", 2), decider="a test")
    verdict = weigh(ParentCase(jobset=made, status=status, failed=(said.job,)), said)
    (after,) = apply(verdict, status, made.spec, now=NOW).status.replicated_jobs

    assert (after.job_restarts, after.job_restarts_counted) == ((4, 0, 1), (2, 0, 1))


def test_a_job_beyond_a_list_of_restarts_that_is_too_short_is_restarted_alone() -> None:
    policy = {"maxRestarts": 9, "rules": [{"action": "RestartJob"}]}
    made = JobSetPlay(jobset=jobset(policy, replicas={"b": 3}), now=NOW)
    made.status = JobSetStatus(
        replicated_jobs=(ReplicatedJobStatus(name="b", job_restarts=(1,), job_restarts_counted=(1,)),)
    )
    made.settle()
    attempts = [job.labels[JOB_RESTART_ATTEMPT] for job in made.children.values()]
    made.fail("js-b-2")

    assert attempts == ["1", "0", "0"]
    assert [replicated.job_restarts for replicated in made.status.replicated_jobs] == [(1, 0, 1)]
    assert made.children["js-b-2"].labels[JOB_RESTART_ATTEMPT] == "1"
