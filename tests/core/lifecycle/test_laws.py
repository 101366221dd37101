"""What holds of every sequence of inputs, however long and in whatever order."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.core.lifecycle.advance import advance, wakes_at
from agent.core.lifecycle.inputs import TimePassed
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.names import PodNames
from agent.core.lifecycle.waits import ForCluster, RetriesStopped, why_it_waits
from tests.core.lifecycle.laws import broken
from tests.core.lifecycle.made import T0, TERMS, after, read

numbers = st.sampled_from("012")
proofs = st.sampled_from(("", " confirmed"))
verdicts = st.sampled_from((" retry", " retry", " fail"))
answers = st.sampled_from(("gone", "succeeded-before", "failed-before", "never-started"))
words = st.one_of(
    st.builds("leased r{} {}".format, numbers, st.sampled_from(sorted(TERMS))),
    st.builds("created r{0} u{0}".format, numbers),
    st.builds("created r{} u{}".format, numbers, st.sampled_from("0123")),
    st.builds("{} u{}".format, st.sampled_from(("pending", "running")), numbers),
    st.builds("succeeded u{}{}".format, numbers, proofs),
    st.builds("failed u{}{}{}".format, numbers, verdicts, proofs),
    st.builds("gated-deleted u{}{}".format, numbers, verdicts),
    st.builds("stopped u{} {}{}".format, numbers, answers, proofs),
    st.builds("confirmed u{} {}".format, numbers, st.sampled_from(("person", "containers"))),
    st.builds("{} r{}".format, st.sampled_from(("rejected", "not-created")), numbers),
    st.builds("{} r{}{}".format, st.sampled_from(("creation-failed", "lease-expired", "preempted")), numbers, verdicts),
    st.sampled_from(("cancel", "retry", "retry again", "never-retry", "limit-lowered", "time-passed")),
)
courses = st.lists(st.tuples(words, st.sampled_from((0, 0, 5, 10, 30, 60))), max_size=40)


def jobs(course: Sequence[tuple[str, int]]) -> tuple[SubmittedJob, timedelta]:
    """The job after a course of inputs with the seconds between them; every step keeps the laws."""
    job, passed = SubmittedJob(job_id="j"), timedelta(0)
    for line, seconds in course:
        passed += timedelta(seconds=seconds)
        event = read(line, T0 + passed)
        result = advance(job, event, T0 + passed)
        assert list(broken(job, event, T0 + passed, result)) == []
        job = after(job, result)
    return job, passed


@given(course=courses)
@settings(max_examples=100)
def test_every_law_holds_after_every_step(course: list[tuple[str, int]]) -> None:
    jobs(course)


@given(course=courses)
def test_attempts_and_indexes_never_go_back_and_a_rejected_run_passes_on_its_own(course: list[tuple[str, int]]) -> None:
    job, _ = jobs(course)

    for before, run in zip(job.runs, job.runs[1:], strict=False):
        if before.was_rejected:
            assert (run.index, run.attempt) == (before.index, before.attempt)
        else:
            assert run.index == before.index + 1
            assert run.attempt in (before.attempt, before.attempt + 1)
    assert len({run.run_id for run in job.runs}) == len(job.runs)


@given(course=courses)
def test_a_job_that_nobody_looks_at_before_it_wakes_misses_nothing(course: list[tuple[str, int]]) -> None:
    job, passed = jobs(course)
    now = T0 + passed
    wakes = wakes_at(job, now)
    before = now + timedelta(days=9) if wakes is None else wakes - timedelta(microseconds=1)

    if before >= now:
        assert advance(job, TimePassed(), before) == advance(job, TimePassed(), now)


@given(course=courses)
def test_stopped_retries_hold_retries_only_and_change_nothing(course: list[tuple[str, int]]) -> None:
    job, passed = jobs(course)
    now = T0 + passed
    free = why_it_waits(job, now, retries_stopped=False)
    held = why_it_waits(job, now, retries_stopped=True)

    is_retry = job.next is not None and job.next.index > 0
    assert held == (RetriesStopped() if isinstance(free, ForCluster) and is_retry else free)


@given(indexes=st.sets(st.integers(0, 1000), min_size=2, max_size=2))
def test_every_run_index_has_a_name_of_its_own(indexes: set[int]) -> None:
    assert len({PodNames().of("01h", index) for index in indexes}) == 2


@pytest.mark.parametrize(("index", "name"), [(0, "armada-01h-0"), (1, "armada-01h-0-1"), (12, "armada-01h-0-12")])
def test_pods_are_named_as_armada_names_them(index: int, name: str) -> None:
    assert PodNames().of("01h", index) == name
    assert PodNames(prefix="x-").of("01h", index) == name.replace("armada-", "x-")
    assert PodNames(by_run=False).of("01h", index) == "armada-01h-0"
