"""The demo's figures about jobs, and what makes them unsound."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.core.lifecycle.state import State
from agent.demo.outcome import Closure, JobFigures, JobStanding, LeasedRun, Outcome, Witnessed, after_end, job_figures

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def at(second: int) -> datetime:
    return START + timedelta(seconds=second)


def standing(job_id: str, state: State = State.SUCCEEDED, *, retries: int = 0) -> JobStanding:
    return JobStanding(job_id=job_id, state=state, retries=retries)


def run(job_id: str, leased_at: int, pod_uid: str | None = None) -> LeasedRun:
    return LeasedRun(job_id=job_id, leased_at=at(leased_at), pod_uid=pod_uid)


def figures(
    *standings: JobStanding,
    missing: int = 0,
    runs: tuple[LeasedRun, ...] = (),
    closures: tuple[Closure, ...] = (),
    witnessed: Witnessed | None = None,
) -> JobFigures:
    by_id = {one.job_id: one for one in standings}
    return job_figures(by_id, missing=missing, runs=runs, closures=closures, witnessed=witnessed or Witnessed())


@pytest.mark.parametrize(
    ("state", "retries", "expected"),
    [
        (State.SUCCEEDED, 0, Outcome.SUCCEEDED),
        (State.SUCCEEDED, 2, Outcome.RECOVERED),
        (State.FAILED, 2, Outcome.FAILED),
        (State.CANCELLED, 0, Outcome.FAILED),
        (State.STOPPING, 0, Outcome.UNFINISHED),
        (State.RETRY_WAITING, 1, Outcome.UNFINISHED),
        (State.QUEUED, 0, Outcome.UNFINISHED),
    ],
)
def test_a_state_is_an_outcome(state: State, retries: int, expected: Outcome) -> None:
    assert standing("a", state, retries=retries).outcome is expected


def test_every_job_has_one_outcome() -> None:
    found = figures(
        standing("a"),
        standing("b", retries=1),
        standing("c", State.FAILED, retries=2),
        standing("d", State.CANCELLED),
        standing("e", State.RUNNING),
    )

    assert found.submitted == found.succeeded + found.recovered + found.failed_final + found.unfinished == 5
    assert (found.succeeded, found.recovered, found.failed_final, found.unfinished) == (1, 1, 2, 1)
    assert found.retried == 2


def test_jobs_that_all_ended_and_never_met_are_sound() -> None:
    closed = Closure(job_id="a", since=at(5))
    found = figures(
        standing("a"), runs=(run("a", 1, "pod"),), closures=(closed,), witnessed=Witnessed(pods=frozenset({"pod"}))
    )

    assert found.is_sound


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("unfinished", figures(standing("a", State.LEASED))),
        ("unfinished", figures(standing("a"), missing=1)),
        ("overlaps", figures(witnessed=Witnessed(overlaps=1))),
        ("after_end", figures(runs=(run("a", 6),), closures=(Closure(job_id="a", since=at(5)),))),
        ("unaccepted", figures(runs=(run("a", 6, "pod"),), witnessed=Witnessed(pods=frozenset({"pod", "copy"})))),
    ],
)
def test_what_must_not_happen_is_counted(field: str, found: JobFigures) -> None:
    assert (getattr(found, field), found.is_sound) == (1, False)


@pytest.mark.parametrize(
    ("leased_at", "until", "expected"), [(4, None, 0), (5, None, 0), (6, None, 1), (6, 9, 1), (9, 9, 0), (10, 9, 0)]
)
def test_a_run_is_after_the_end_until_the_job_is_reopened(leased_at: int, until: int | None, expected: int) -> None:
    closed = Closure(job_id="a", since=at(5), until=None if until is None else at(until))

    assert after_end([run("a", leased_at), run("b", leased_at)], [closed]) == expected
