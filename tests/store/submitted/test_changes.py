"""A client id names one job of its queue."""

import pytest

from agent.store.errors import RowRefused
from agent.store.store import Store
from agent.store.submitted.changes import Conflict, Existing, Inserted, insert
from agent.store.submitted.held import load, specs
from tests.store.submitted.made import new_job


def test_the_same_submitted_again_is_the_job_that_exists(store: Store) -> None:
    with store.write() as connection:
        insert(connection, [new_job("a", client_id="one")])
    again = [
        new_job("b", client_id="one"),
        new_job("c", client_id="one", spec_hash="other"),
        new_job("d", client_id="one", queue="other"),
        new_job("e", client_id="two"),
    ]
    with store.write() as connection:
        outcomes = insert(connection, again)

        assert outcomes == [Existing("a"), Conflict("a"), Inserted("d"), Inserted("e")]
        assert load(connection, [*"abcde"]).keys() == specs(connection, [*"abcde"]).keys() == {"a", "d", "e"}


def test_a_client_id_twice_in_one_submission_makes_one_job(store: Store) -> None:
    jobs = [new_job("b", client_id="z"), new_job("a", client_id="y"), new_job("c", client_id="z", spec_hash="other")]
    with store.write() as connection:
        assert insert(connection, jobs) == [Inserted("b"), Inserted("a"), Conflict("b")]


def test_jobs_without_a_client_id_are_all_new(store: Store) -> None:
    with store.write() as connection:
        for job_ids in ("ab", "c"):
            jobs = [new_job(job_id, client_id="") for job_id in job_ids]
            assert insert(connection, jobs) == [Inserted(job_id) for job_id in job_ids]

        assert load(connection, ["a"])["a"].submission.client_id == ""


def test_a_job_id_that_exists_is_refused_and_nothing_is_written(store: Store) -> None:
    with store.write() as connection:
        insert(connection, [new_job("a")])
    with pytest.raises(RowRefused, match="a job has the id a already"), store.write() as connection:
        insert(connection, [new_job("b"), new_job("a", client_id="other")])

    with store.read() as connection:
        assert load(connection, ["a", "b"]).keys() == {"a"}
