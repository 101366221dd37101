"""``failctl confirm-stopped``, on a real API over a real store."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from agent.core.run_event import PodReference, RunPhase
from agent.store import jobs, runs
from agent.store.runs import ReceivedEvent
from agent.store.submitted import held, requests
from tests.ctl.submitted import Program, pod, program
from tests.store.events import event

RUN = "5f3b6c1e-0000-4000-8000-00000000a001"
STOP = f"The stop of run {RUN} {{}}: pod jobs/armada-job-0001-0 on n1 in cluster east (job job-0001 {{}}"


@pytest.fixture
def failctl(tmp_path: Path) -> Iterator[Program]:
    with program(tmp_path) as made:
        made("submit", "-f", made.write("pod.yaml", pod()), "--queue", "ml")
        made.play("job-0001", f"leased {RUN} confirmed", f"created {RUN} u0", "running u0")
        yield made


def fail(failctl: Program) -> None:
    failctl.play("job-0001", "failed u0 retry", "stopped u0 gone")


def observe(failctl: Program) -> None:
    """Have the agent's event about the run, by which parts of its id are found."""
    at = PodReference(namespace="jobs", name="armada-job-0001-0", uid="u0", node="n1")
    seen = replace(event("e1", RunPhase.RUNNING, run=RUN, job="job-0001"), pod=at)
    with failctl.api.store.write() as connection:
        recorded = runs.record(connection, [ReceivedEvent(event=seen)])
        jobs.record(connection, recorded.rows, began=recorded.began, events=[seen])


def confirmed(failctl: Program) -> str | None:
    with failctl.api.store.read() as connection:
        return held.load(connection, ["job-0001"])["job-0001"].job.runs[0].confirmed


@pytest.mark.parametrize("name", [RUN, "u0", "a001"])
def test_a_run_is_confirmed_by_id_end_or_uid_as_often_as_one_likes(failctl: Program, name: str) -> None:
    fail(failctl)
    observe(failctl)

    first = failctl("confirm-stopped", name, "--yes", "--reason", "n1 was scrapped")
    second = failctl("confirm-stopped", name, "--yes")

    assert first.exit_code == 0
    assert first.stdout.startswith(STOP.format("is confirmed", "retry-waiting; run 2 starts"))
    assert (second.exit_code, second.stdout.startswith(STOP.format("was confirmed before", "retry-"))) == (0, True)
    assert confirmed(failctl) == "person"
    with failctl.api.store.read() as connection:
        (asked,) = requests.of_job(connection, "job-0001")
    assert (asked.by, asked.reason) == ("alice", "run 1: n1 was scrapped")
    assert "confirm-stopped by alice" in " ".join(failctl("explain", "job-0001").stdout.split())


def test_explain_names_the_command(failctl: Program) -> None:
    fail(failctl)

    words = " ".join(failctl("explain", "job-0001").stdout.split())

    assert f"failctl confirm-stopped {RUN}" in words


def test_nothing_is_done_without_consent(failctl: Program) -> None:
    fail(failctl)

    unasked = failctl("confirm-stopped", RUN)
    dry = failctl("confirm-stopped", RUN, "--dry-run", "-o", "json")

    assert unasked.exit_code == 2
    assert "two pods of its job may run at the same time. Add --yes" in unasked.stderr
    assert [(one["runId"], one["outcome"]) for one in json.loads(dry.stdout)] == [(RUN, "done")]
    assert failctl("confirm-stopped", RUN, "--dry-run").stdout.startswith(STOP.format("would be confirmed", "retry-"))
    assert confirmed(failctl) is None


def test_an_open_run_is_refused_with_what_to_do_instead(failctl: Program) -> None:
    done = failctl("confirm-stopped", RUN, "--yes")

    assert (done.exit_code, done.stdout) == (1, "")
    assert f"{RUN}: run 1 is running: cancel its job first: failctl cancel job-0001" in done.stderr


@pytest.mark.parametrize(
    ("name", "problem"),
    [("job-0001", "means job job-0001, and a run is to be named"), ("gone-for-ever", "the store has no job, no run")],
)
def test_where_one_name_is_no_run_nothing_is_confirmed(failctl: Program, name: str, problem: str) -> None:
    fail(failctl)

    done = failctl("confirm-stopped", RUN, name, "--yes")

    assert (done.exit_code, done.stdout) == (1, "")
    assert problem in done.stderr
    assert confirmed(failctl) is None
