"""``failctl explain`` of submitted jobs: from the store and over the API, with and without runs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.ctl.explain.submitted import came_of
from agent.store.recorded import SubmittedPart
from tests.ctl.explain.stories import NOW, STORIES, timeline_of
from tests.ctl.submitted import Program, pod, program


@pytest.fixture
def failctl(tmp_path: Path) -> Iterator[Program]:
    with program(tmp_path) as made:
        made("submit", "-f", made.write("pod.yaml", pod()), "--queue", "ml")
        yield made


def store_of(failctl: Program) -> list[str]:
    (file,) = failctl.folder.glob("*.db")
    return ["--store", f"sqlite:///{file}"]


def test_a_job_without_runs_is_explained_from_the_store_as_over_the_api(failctl: Program) -> None:
    served = failctl("explain", "jobs/train")
    stored = failctl("explain", "jobs/train", *store_of(failctl))

    assert (served.exit_code, served.stdout.splitlines()[0].split()[0]) == (0, "QUEUED")
    assert "  Waits     cluster east is about to take its run" in served.stdout
    assert "by alice as jobs/train" in served.stdout
    assert "  Waits     waits for a cluster with room for runs in namespace jobs" in stored.stdout
    assert stored.stdout.splitlines()[0] == served.stdout.splitlines()[0]


def test_a_job_that_is_held_names_the_pod_the_node_and_since_when(failctl: Program) -> None:
    failctl.play("job-0001", "leased r0 confirmed", "created r0 u0", "running u0", "failed u0 retry")
    failctl("retry", "job-0001", "--reason", "the disk is repaired")

    card = failctl("explain", "job-0001").stdout
    details = failctl("explain", "job-0001", "--details", "--utc").stdout

    assert "RETRY-WAITING" in card
    words = " ".join(card.split())
    assert "has waited 0 s for the stop of pod jobs/armada-job-0001-0 on n1 in cluster east" in words
    assert "retry by alice" in words
    assert "the disk is repaired" in words
    assert "2026-11-23 12:00:00 UTC submitted by alice as jobs/train" in details
    assert (
        "2026-11-23 12:00:00 UTC run 1 (r0) leased to cluster east, closed 2026-11-23 12:00:00 UTC (verdict)" in details
    )
    assert "2026-11-23 12:00:00 UTC retry by alice: the disk is repaired" in details


def test_a_job_that_has_ended_says_by_whom_whenever_it_ended(failctl: Program) -> None:
    failctl.play("job-0001", "leased r0 confirmed", "created r0 u0", "running u0")
    failctl("cancel", "job-0001", "--reason", "wrong data set")
    failctl("retry", "job-0001")
    failctl.play("job-0001", "cancel", "stopped u0 gone confirmed")

    words = " ".join(failctl("explain", "job-0001").stdout.split())
    whole = json.loads(failctl("explain", "job-0001", "-o", "json").stdout)

    assert "Ended cancelled, by cancel" in words
    assert "stay in the cluster" not in words
    assert (whole["state"], whole["runs"], whole["nextStep"]) == ("cancelled", [], "")
    assert [one["opening"] for one in whole["submitted"]["endings"]] == [0, 1]
    assert [(one["kind"], one["by"], one["reason"]) for one in whole["submitted"]["requests"]] == [
        ("cancel", "alice", "wrong data set"),
        ("retry", "alice", ""),
    ]


@pytest.mark.parametrize(
    ("story", "words"),
    [
        ("submitted-queued", ""),
        ("submitted-waits-for-stop", "run 2 is not leased yet"),
        ("submitted-retried", "run 2 was leased to cluster cpu-west 14 min ago"),
        ("submitted-cancelled", "no run followed: the job ended first"),
        ("submitted-failed", "failed, by verdict, 14 min ago"),
    ],
)
def test_what_came_of_a_verdict_is_said(story: str, words: str) -> None:
    (told,) = (one for one in STORIES if one["name"] == story)
    job = timeline_of(told).submitted

    assert isinstance(job, SubmittedPart)
    assert came_of(job, "run-0", now=NOW) == words
