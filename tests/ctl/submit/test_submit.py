"""``failctl submit``, on a real API over a real store."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.api.v1 import job_pb2 as pb
from agent.client.errors import ApiUnreachable
from agent.client.jobs import connect
from agent.console.exits import NotFoundError
from agent.ctl.resources.completion import complete_queue
from agent.ctl.submit.wait import state_word, wait_for
from tests.ctl.submitted import Program, pod, program

JOBS = """\
queue: ml
jobSetId: nightly
jobs:
- {namespace: jobs, clientId: a, podSpec: {restartPolicy: Never, containers: [{name: main}]}}
- {namespace: jobs, podSpec: {containers: [{name: main}]}}
"""


@pytest.fixture
def failctl(tmp_path: Path) -> Iterator[Program]:
    with program(tmp_path) as made:
        yield made


def test_each_job_of_a_file_gets_an_id_next_to_its_name(failctl: Program) -> None:
    done = failctl("submit", "-f", failctl.write("jobs.yaml", JOBS))

    assert (done.exit_code, done.stdout.splitlines()) == (
        0,
        [
            "NAME     OUTCOME    QUEUE  JOB",
            "a        submitted  ml     job-0001",
            "jobs[1]  submitted  ml     job-0002",
        ],
    )
    assert done.stderr == (
        f"warning: {failctl.folder}/jobs.yaml:5:30: `restartPolicy` is Never for jobs, "
        "whatever the API server's default is\n"
    )


def test_submitting_again_is_harmless_and_another_spec_a_conflict(failctl: Program) -> None:
    file = failctl.write("pod.yaml", pod())
    failctl("submit", "-f", file, "--queue", "ml")

    again = failctl("submit", "-f", file, "--queue", "ml", "-o", "name")
    other = failctl("submit", "-f", "-", "--queue", "ml", input=f"{pod(image='other')}---\n{pod('eval')}")

    assert (again.exit_code, again.stdout) == (0, "job-0001\n")
    assert (other.exit_code, [line.split() for line in other.stdout.splitlines()[1:]]) == (
        1,
        [["jobs/eval", "submitted", "ml", "job-0004"]],
    )
    assert other.stderr == (
        "failctl: <stdin>:1: jobs/train is not submitted: "
        "queue ml has another job under the client id jobs/train: job-0001\n"
    )


def test_a_dry_run_submits_nothing(failctl: Program) -> None:
    tried = failctl("submit", "-f", failctl.write("pod.yaml", pod()), "--queue", "ml", "--dry-run")

    assert (tried.exit_code, tried.stdout.splitlines()[1]) == (0, "jobs/train  would be submitted  ml     -")
    assert failctl.api.requests.get(["job-0001"]) == []


def test_a_queue_that_does_not_exist_is_named_with_what_creates_it(failctl: Program) -> None:
    refused = failctl("submit", "-f", failctl.write("pod.yaml", pod()), "--queue", "batch")

    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "there is no queue batch; create it: failctl create queue batch" in refused.stderr


def test_every_problem_of_all_files_is_shown_before_anything_is_sent(failctl: Program) -> None:
    good, first = failctl.write("good.yaml", pod()), failctl.write("a.yaml", pod("a", image="5"))
    second = failctl.write("b.yaml", "queue: ml\njobs: []\n")

    refused = failctl("submit", "-f", good, "-f", first, "-f", second, "--queue", "ml")

    assert refused.exit_code == 2
    assert f"{first}:4:63: spec.containers[0].image: expected text, found the number 5" in refused.stderr
    assert f"{second}:1:1: jobSetId: `jobSetId` is required" in refused.stderr
    assert failctl.api.requests.get(["job-0001"]) == []


def test_for_programs_each_job_is_a_document(failctl: Program) -> None:
    done = failctl("submit", "-f", failctl.write("pod.yaml", pod()), "--queue", "ml", "-o", "json")

    assert json.loads(done.stdout) == [
        {
            "jobId": "job-0001",
            "name": "jobs/train",
            "queue": "ml",
            "file": f"{failctl.folder}/pod.yaml",
            "line": 1,
            "outcome": "submitted",
            "message": "",
            "warnings": [],
        }
    ]


@pytest.mark.parametrize(
    ("lines", "code", "ended"),
    [
        (["created r0 u0", "succeeded u0 confirmed"], 0, "succeeded"),
        (["created r0 u0", "failed u0 fail confirmed"], 1, "failed, by verdict"),
        (["cancel"], 1, "cancelled, by cancel"),
    ],
)
def test_waiting_ends_with_the_code_of_the_end(failctl: Program, lines: list[str], code: int, ended: str) -> None:
    file = failctl.write("pod.yaml", pod())
    failctl("submit", "-f", file, "--queue", "ml")
    failctl.play("job-0001", "leased r0 confirmed", *lines)

    done = failctl("submit", "-f", file, "--queue", "ml", "--wait")

    assert (done.exit_code, done.stdout.splitlines()[-1]) == (code, f"jobs/train (job-0001) has {ended}")
    shown = json.loads(failctl("submit", "-f", file, "--queue", "ml", "--wait", "-o", "json").stdout)
    assert shown[0]["state"] == ended.partition(",")[0]


def test_a_dry_run_has_nothing_to_wait_for(failctl: Program) -> None:
    assert failctl("submit", "-f", failctl.write("pod.yaml", pod()), "--wait", "--dry-run").exit_code == 2


def test_waiting_says_what_happens_and_not_that_time_goes_by(failctl: Program) -> None:
    failctl("submit", "-f", failctl.write("pod.yaml", pod()), "--queue", "ml")
    turns = iter([[], ["leased r0 confirmed"], ["created r0 u0", "running u0"], ["succeeded u0 confirmed"]])
    err = io.StringIO()
    with connect(failctl.address, who="alice") as client:
        ended = wait_for(client, {"job-0001": "train"}, err=err, sleep=lambda _: failctl.play("job-0001", *next(turns)))
        with pytest.raises(NotFoundError, match="no longer has the job job-9999"):
            wait_for(client, {"job-9999": "gone"}, err=err)

    assert ended["job-0001"].state == pb.JOB_STATE_SUCCEEDED
    assert err.getvalue().splitlines() == [
        "train: queued: cluster east is about to take its run",
        "train: leased: has waited 0 s for the answer of cluster east",
        "train: running",
        "train: succeeded",
    ]


def test_a_state_of_a_later_version_is_unknown() -> None:
    assert [state_word(pb.JOB_STATE_RETRY_WAITING), state_word(99)] == ["retry-waiting", "unknown"]


def test_queues_are_completed(failctl: Program) -> None:
    class Typed:
        params = {"server": failctl.address, "context": None}  # noqa: RUF012 - as typer's

    assert complete_queue(Typed(), "m") == ["ml"]
    assert complete_queue(Typed(), "x") == []


def test_waiting_survives_a_scheduler_that_does_not_answer_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with program(tmp_path) as gone:
        address = gone.address
    monkeypatch.setattr("agent.ctl.submit.wait.PATIENCE", 2)
    slept: list[float] = []

    with connect(address, who="alice") as client, pytest.raises(ApiUnreachable):
        wait_for(client, {"job-0001": "train"}, err=io.StringIO(), sleep=slept.append)

    assert len(slept) == 2


def test_submitted_jobs_are_listed_with_the_state_of_their_submission(failctl: Program) -> None:
    failctl("submit", "-f", failctl.write("pods.yaml", f"{pod('a')}---\n{pod('b')}"), "--queue", "ml")
    failctl.play("job-0002", "leased r0 confirmed")

    every = failctl("get", "jobs").stdout.splitlines()
    leased = json.loads(failctl("get", "jobs", "--state", "leased", "-o", "json").stdout)

    assert [line.split()[1:3] for line in every[1:3]] == [["job-0002", "leased"], ["job-0001", "queued"]]
    assert [(one["jobId"], one["state"], one["clientId"]) for one in leased] == [("job-0002", "leased", "jobs/b")]
