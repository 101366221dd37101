"""The five stories of KEP-262, from corrected copies of their manifests, with the pods of their Jobs."""

from datetime import timedelta
from pathlib import Path

import pytest

from agent.core.job.outcome import PodEnding
from agent.core.jobset.child import JOB_RESTART_ATTEMPT, RESTART_ATTEMPT
from agent.core.jobset.gates import ALL_ON
from agent.core.jobset.play import JobSetPlay
from agent.core.jobset.simulated import JobSetOutcome, SimulatedJobSet
from agent.documents.problem import Severity
from agent.manifests.jobset.load import load_jobset
from agent.manifests.lint import LintContext, lint
from tests.core.jobset.made import NOW

STORIES = Path(__file__).parents[2] / "manifests/jobset/stories"
SIGTERM = 143


def story(number: int) -> SimulatedJobSet:
    name = f"story-{number}.yaml"
    jobset = load_jobset((STORIES / name).read_text(), file=name, gates=ALL_ON)
    made = SimulatedJobSet(play=JobSetPlay(jobset=jobset, now=NOW))
    made.begin()
    return made


def fails(of: SimulatedJobSet, replicated_job: str, code: int = 1, index: int | None = None) -> None:
    of.apply_outcome(JobSetOutcome(pod=PodEnding(exit_code=code, index=index), replicated_job=replicated_job))


def over(of: SimulatedJobSet) -> tuple[str, str] | None:
    said = of.play.status.finished
    return None if said is None else (said.type, said.reason)


def counts(of: SimulatedJobSet) -> tuple[int, int]:
    return of.play.status.restarts, of.play.status.restarts_counted


def test_story_1_maintenance_restarts_and_a_bug_ends_it_at_once() -> None:
    js = story(1)
    for _ in range(3):
        fails(js, "buggy-job", SIGTERM)
    assert (over(js), counts(js)) == (None, (3, 3))

    fails(js, "buggy-job", 1)
    assert over(js) == ("Failed", "FailJobSetFailurePolicyAction")
    assert counts(js) == (3, 3)


def test_story_1_maintenance_ends_it_after_ten_restarts() -> None:
    js = story(1)
    for _ in range(10):
        fails(js, "buggy-job", SIGTERM)
    assert (over(js), counts(js)) == (None, (10, 10))

    fails(js, "buggy-job", SIGTERM)
    assert over(js) == ("Failed", "ReachedMaxRestarts")


def test_story_2_any_worker_restarts_all_up_to_ten_times() -> None:
    js = story(2)
    for number in range(10):
        fails(js, "buggy-job", index=number % 4)
        assert js.living("restart-jobset-example-buggy-job-0") == 4
    assert (over(js), counts(js)) == (None, (10, 10))

    fails(js, "buggy-job", index=2)
    assert over(js) == ("Failed", "ReachedMaxRestarts")


def test_story_3_maintenance_restarts_without_end_and_other_failures_ten_times() -> None:
    js = story(3)
    for _ in range(20):
        fails(js, "workers", SIGTERM)
    assert (over(js), counts(js)) == (None, (20, 0))

    for _ in range(10):
        fails(js, "workers", 1)
    assert (over(js), counts(js)) == (None, (30, 10))

    fails(js, "workers", SIGTERM)
    assert (over(js), counts(js)) == (None, (31, 10))
    fails(js, "workers", 1)
    assert over(js) == ("Failed", "ReachedMaxRestarts")


@pytest.mark.slow
def test_story_4_workers_restart_without_end_and_the_parameter_server_three_times() -> None:
    js = story(4)
    fails(js, "workers", index=1_500)
    for _ in range(3):
        fails(js, "parameter-server")
    assert (over(js), counts(js)) == (None, (4, 3))
    assert sum(js.living(name) for name in js.jobs) == 15_001

    fails(js, "workers", index=2_999)
    assert (over(js), counts(js)) == (None, (5, 3))
    fails(js, "parameter-server")
    assert over(js) == ("Failed", "ReachedMaxRestarts")


def test_story_5_a_worker_is_created_again_and_the_other_continues() -> None:
    js = story(5)
    name = "recreate-job-example-recoverable-workers-{}".format
    other = js.jobs[name(1)]
    fails(js, "recoverable-workers")

    labels = js.play.children[name(0)].labels
    assert (labels[RESTART_ATTEMPT], labels[JOB_RESTART_ATTEMPT]) == ("0", "1")
    assert js.jobs[name(1)] is other
    said = js.play.status.replicated("recoverable-workers")
    assert said is not None
    assert (said.job_restarts, said.job_restarts_counted) == ((1, 0), (1, 0))

    for number in range(9):
        js.apply_outcome(JobSetOutcome(pod=PodEnding(exit_code=1), job_index=number % 2))
    assert over(js) is None
    js.apply_outcome(JobSetOutcome(pod=PodEnding(exit_code=1), job_index=1))
    assert over(js) == ("Failed", "ReachedMaxRestarts")


def test_story_5_succeeds_when_both_have() -> None:
    js = story(5)
    fails(js, "recoverable-workers")
    js.apply_outcome(JobSetOutcome(pod=PodEnding(every=True, after=timedelta(hours=1))))

    assert over(js) == ("Completed", "AllJobsCompleted")


@pytest.mark.parametrize(
    ("number", "faults"),
    [
        (1, [(36, "duplicate-key")]),
        (2, [(27, "duplicate-key")]),
        (3, [(36, "duplicate-key")]),
        (4, [(16, "Invalid"), (18, "Invalid"), (31, "duplicate-key")]),
        (5, [(10, "gate-off")]),
    ],
)
def test_what_is_wrong_with_the_stories_as_they_stand(number: int, faults: list[tuple[int, str]]) -> None:
    name = f"story-{number}.original.yaml"
    problems = lint((STORIES / name).read_text(), file=name)

    assert [(problem.line, problem.code) for problem in problems] == faults


@pytest.mark.parametrize("number", range(1, 6))
def test_the_corrected_copies_have_no_error(number: int) -> None:
    name = f"story-{number}.yaml"
    problems = lint((STORIES / name).read_text(), file=name, context=LintContext(gates=ALL_ON))

    assert [problem.code for problem in problems] == (["deprecated"] if number == 5 else [])
    assert all(problem.severity is Severity.WARNING for problem in problems)
