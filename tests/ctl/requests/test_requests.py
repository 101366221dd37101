"""``failctl cancel``, ``retry`` and ``never-retry``, on a real API over a real store."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.store.submitted import requests
from tests.ctl.submitted import Program, pod, program

STOP = "has waited 0 s for the stop of pod jobs/armada-job-0001-0 on n1 in cluster east"


@pytest.fixture
def failctl(tmp_path: Path) -> Iterator[Program]:
    with program(tmp_path) as made:
        made("submit", "-f", made.write("pod.yaml", f"{pod('train')}---\n{pod('eval')}"), "--queue", "ml")
        yield made


def test_jobs_are_cancelled_by_id_part_or_client_id_as_often_as_one_likes(failctl: Program) -> None:
    first = failctl("cancel", "jobs/train", "0002", "--reason", "a mistake")
    second = failctl("cancel", "job-0001")

    assert (first.exit_code, first.stdout.splitlines()) == (
        0,
        ["Job job-0001 is cancelled (cancelled)", "Job job-0002 is cancelled (cancelled)"],
    )
    assert (second.exit_code, second.stdout) == (0, "Job job-0001 was cancelled before (cancelled)\n")
    with failctl.api.store.read() as connection:
        (asked,) = requests.of_job(connection, "job-0001")
    assert (asked.by, asked.reason) == ("alice", "a mistake")


def test_a_retry_says_what_it_waits_for(failctl: Program) -> None:
    failctl.play("job-0001", "leased r0 confirmed", "created r0 u0", "running u0", "failed u0 retry")

    done = failctl("retry", "job-0001", "--reason", "the disk is repaired")

    assert done.stdout == f"Job job-0001 gets one more run (retry-waiting; {STOP})\n"
    assert (
        failctl("retry", "job-0001").stdout == f"Job job-0001 waits for one more run already (retry-waiting; {STOP})\n"
    )


def test_one_that_is_refused_leaves_the_others_and_is_a_finding(failctl: Program) -> None:
    failctl.play("job-0001", "leased r0 confirmed", "created r0 u0", "succeeded u0 confirmed")

    done = failctl("retry", "job-0001", "job-0002", "-o", "json")

    assert done.exit_code == 1
    assert [(one["jobId"], one["outcome"], one["state"]) for one in json.loads(done.stdout)] == [
        ("job-0001", "refused", "succeeded"),
        ("job-0002", "refused", "queued"),
    ]
    assert failctl("retry", "job-0001", "--again").stdout.startswith("Job job-0001 gets one more run (retry-waiting")


def test_never_retry_is_lifted_by_a_retry(failctl: Program) -> None:
    assert failctl("never-retry", "job-0001").stdout.startswith("Job job-0001 is not retried any more (queued; ")
    assert failctl("never-retry", "job-0001").stdout.startswith("Job job-0001 was not to be retried before (queued; ")


def test_where_one_name_is_unknown_nothing_is_asked(failctl: Program) -> None:
    unknown = failctl("cancel", "job-0001", "gone-for-ever")

    assert (unknown.exit_code, unknown.stdout) == (1, "")
    assert unknown.stderr.endswith("the store has no job, no run and no pod gone-for-ever\n")
    assert failctl.api.requests.get(["job-0001"])[0].held.job.state == "queued"
