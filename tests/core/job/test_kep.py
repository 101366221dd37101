"""KEP-3850's user stories, and its walk through enabling, disabling and enabling again."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent.core.job.counters import Counters, open_job
from agent.core.job.gates import Gates
from agent.core.job.outcome import PodEnding, apply_outcome, begin, grid
from agent.core.job.play import Play
from agent.manifests.job.load import load_job
from agent.manifests.lint import lint

JOBS = Path(__file__).parents[2] / "manifests/job/stories"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def play(name: str) -> Play:
    job = load_job((JOBS / f"{name}.yaml").read_text(), file=name)
    made = Play(counters=open_job(job.spec), name=job.name, now=NOW)
    begin(made)
    return made


def test_story_1_a_suite_that_fails_leaves_the_others_alone() -> None:
    job = play("story-1")
    for _ in range(2):
        apply_outcome(job, PodEnding(index=3, exit_code=1))
    apply_outcome(job, PodEnding(every=True))

    assert grid(job.counters) == "SSSFSSSSSS"
    assert [(condition.type, condition.reason) for condition in job.counters.status.conditions] == [
        ("FailureTarget", "FailedIndexes"),
        ("Failed", "FailedIndexes"),
    ]


def test_story_2_an_exit_code_fails_an_index_at_once() -> None:
    job = play("story-2")
    apply_outcome(job, PodEnding(index=3, exit_code=42))
    apply_outcome(job, PodEnding(index=4, exit_code=1))

    assert grid(job.counters) == "AAAFWAAAAA"


def test_story_3_more_than_half_failed_ends_the_job() -> None:
    job = play("story-3")
    for index in range(6):
        for _ in range(2):
            assert job.counters.status.finished is None
            apply_outcome(job, PodEnding(index=index, exit_code=1))

    finished = job.counters.status.finished
    assert finished is not None
    assert finished.reason == "MaxFailedIndexesExceeded"
    assert job.counters.report().failed_indexes == "0-5"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_stories_as_they_stand_have_two_faults(number: int) -> None:
    name = f"story-{number}.original.yaml"
    problems = lint((JOBS / name).read_text(), file=name)

    assert [(problem.line, problem.path, problem.code) for problem in problems] == [
        (1, "metadata", "missing-field"),
        (1, "apiVersion", "unknown-value"),
    ]


@pytest.mark.parametrize("name", ["story-1", "story-2", "story-3", "job-longrun"])
def test_the_corrected_copies_have_none(name: str) -> None:
    assert lint((JOBS / f"{name}.yaml").read_text(), file=name) == ()


def deleted(job: Play, index: int) -> None:
    """Delete the pod of an index, and wait for what follows."""
    (uid,) = job.counters.active_at[index]
    job.see(replace(job.counters.pods[uid], deleted_at=job.now))
    job.pass_time(HOUR)


def reopened(job: Play, gates: Gates) -> Play:
    """The same Job with a controller that was started anew."""
    known: Counters = job.counters
    after = open_job(known.spec, status=known.report(), pods=known.pods.values(), gates=gates)
    again = replace(job, counters=after)
    again.pass_time(HOUR)
    return again


def test_switching_the_feature_on_off_and_on() -> None:
    job = play("job-longrun")
    deleted(job, 0)
    deleted(job, 0)
    assert (job.counters.report().failed_indexes, job.counters.status.active) == ("0", 2)

    job = reopened(job, Gates(backoff_limit_per_index=False))
    status = job.counters.report()
    assert (status.failed_indexes, status.active, status.failed) == (None, 3, 2)

    job = reopened(job, Gates())
    deleted(job, 1)
    deleted(job, 1)
    assert (job.counters.report().failed_indexes, job.counters.status.active) == ("1", 2)
