"""Jobs are found by pods, runs, queues, and by when they are due."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent.core.lifecycle.job import SubmittedJob
from agent.store.store import Store
from agent.store.submitted.lookup import (
    Due,
    RunOfJob,
    due,
    jobs_of_pods,
    jobs_of_runs,
    open_jobs,
    open_runs,
    runs_named,
)
from tests.core.lifecycle.made import T0
from tests.store.databases import rolled_back
from tests.store.submitted.made import change, new_job, played, submit

NOW = T0 + timedelta(hours=1)


def test_a_job_is_found_by_its_pods_and_runs(store: Store) -> None:
    with store.write() as connection:
        played(connection, "j", ["0s leased r0 timer", "1s created r0 u0"])
        played(connection, "k", ["0s leased r1 timer in-west", "1s created r1 u1 in-west"])
        played(connection, "l", ["0s leased r2 timer"])

        pods = [("east", "u0"), ("west", "u1"), ("west", "u0"), ("east", "u9")]
        assert jobs_of_pods(connection, pods) == {("east", "u0"): "j", ("west", "u1"): "k"}
        assert jobs_of_pods(connection, []) == {}
        many = [("east", f"other-{number}") for number in range(70_000)]
        assert jobs_of_pods(connection, [*many, *pods]) == jobs_of_pods(connection, pods)
        assert jobs_of_runs(connection, ["r0", "r2", "r9"]) == {"r0": "j", "r2": "l"}


def test_a_run_is_named_by_its_id_or_the_uid_of_its_pod(store: Store) -> None:
    with store.write() as connection:
        played(connection, "j", ["0s leased r0 timer", "1s created r0 u0"])
        played(connection, "k", ["0s leased r1 timer in-west", "1s created r1 u0 in-west"])
        first, second = RunOfJob(run_id="r0", job_id="j"), RunOfJob(run_id="r1", job_id="k")

        found = runs_named(connection, ["r0", "u0", "r9"])

        assert set(found) == {"r0", "u0"}
        assert found["r0"] == [first]
        assert set(found["u0"]) == {first, second}


def test_open_runs_are_counted_by_cluster(store: Store) -> None:
    with store.write() as connection:
        played(connection, "j", ["0s leased r0 timer"])
        played(connection, "k", ["0s leased r1 timer", "1s created r1 u1", "2s failed u1 fail"])
        played(connection, "l", ["0s leased r2 timer in-west"])
        played(connection, "m", ["0s leased r3 timer", "1s created r3 u3"])

        assert open_runs(connection) == {"east": 2, "west": 1}


def test_open_jobs_of_a_queue_are_those_that_have_not_ended(store: Store) -> None:
    with store.write() as connection:
        submit(connection, new_job("queued"), new_job("other", queue="other"))
        played(connection, "cancelled", ["0s cancel"])
        played(connection, "stopping", ["0s leased r0 confirmed", "1s created r0 u0", "2s cancel"])

        assert open_jobs(connection, "ml") == 2
        assert open_jobs(connection, "none") == 0


def test_due_jobs_come_by_priority_then_by_age_and_in_slices(store: Store) -> None:
    drawn = st.tuples(st.sampled_from((-1.0, 0.0, 0.5)), st.integers(0, 3), st.none() | st.integers(-2, 2))

    @given(given=st.lists(drawn, max_size=12), at_most=st.integers(1, 5))
    def holds(given: list[tuple[float, int, int | None]], at_most: int) -> None:
        with rolled_back(store) as connection:
            expected = []
            for number, (priority, age, wakes) in enumerate(given):
                found = Due(job_id=f"j{number:02}", priority=priority, submitted_at=T0 + timedelta(seconds=age))
                submit(connection, new_job(found.job_id, priority=priority, submitted_at=found.submitted_at))
                wakes_at = None if wakes is None else NOW + timedelta(seconds=wakes)
                change(connection, SubmittedJob(job_id=found.job_id), wakes_at=wakes_at)
                if wakes is not None and wakes <= 0:
                    expected.append(found)
            slices = [due(connection, NOW, at_most=at_most)]
            while slices[-1]:
                slices.append(due(connection, NOW, at_most=at_most, after=slices[-1][-1]))

        expected.sort(key=lambda found: (found.priority, found.submitted_at, found.job_id))
        assert [found for part in slices for found in part] == expected
        assert all(len(part) <= at_most for part in slices)

    holds()
