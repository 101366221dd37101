"""Pods of runs in lists: the rows of test_run_pod.py, so that a list never contradicts what was reported."""

from typing import Any

import pytest

from agent.core.run_event import PodReference, RunPhase
from agent.observe.listed_run import listed_run
from agent.observe.run_pod import progress
from tests.observe.pods import NOW
from tests.observe.test_run_pod import ROWS, of_run, play


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_list_says_what_was_reported(row: dict[str, Any]) -> None:
    run, last, _ = play(row)
    listed = listed_run(run, last, watched=row.get("watched", True))

    assert (listed.gated, listed.confirmed) == (row.get("gated", False), row.get("confirmed"))
    finished = last.status.phase in {"Failed", "Succeeded"}
    reported = row.get("phase") or RunPhase.PENDING
    assert listed.phase == (RunPhase.FAILED if finished and reported != RunPhase.SUCCEEDED else reported)


def test_job_run_and_queue_are_those_of_our_labels() -> None:
    labels = {
        "armada_job_id": "other",
        "failure-agent.dev/job": "j1",
        "failure-agent.dev/run": "r1",
        "failure-agent.dev/queue": "physics",
    }
    found = of_run({"phase": "Running"}, metadata={"labels": labels})
    run = progress(None, found, now=NOW)
    assert run is not None

    listed = listed_run(run, found, watched=False)

    assert (listed.job_id, listed.run_id, listed.queue) == ("j1", "r1", "physics")
    assert listed.pod == PodReference(namespace="jobs", name="pod", uid="u1", node="n1")
    assert (listed.phase, listed.gated, listed.confirmed) == (RunPhase.RUNNING, False, None)
