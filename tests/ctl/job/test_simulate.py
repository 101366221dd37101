"""``failctl job simulate``: the printed steps of a Job."""

import io
import json
from pathlib import Path

import pytest

from agent.console.exits import Exit, UsageError
from agent.console.options import Form
from agent.ctl.job.simulate import JobRequest, run

STORY = Path(__file__).parents[2] / "manifests/job/stories/story-2.yaml"
OUTCOMES = """\
outcomes:
- {index: 0, exitCode: 1, times: 2}
- {index: 1, exitCode: 42}
- {every: true}
- {index: 1}
"""


def printed(tmp_path: Path, *, output: Form = "table", outcomes: str = OUTCOMES) -> str:
    pods, out = tmp_path / "outcomes.yaml", io.StringIO()
    pods.write_text(outcomes)
    assert run(JobRequest(job=STORY, pods=pods, output=output), out=out) is Exit.FINE
    return out.getvalue()


def test_the_simulation_is_printed_with_effects_reasons_and_indexes(tmp_path: Path) -> None:
    lines = printed(tmp_path).splitlines()

    assert "      look again after 10 s" in lines
    assert "      make a pod for index 0 (failures 1, ignored 0)" in lines
    assert "index 1, exit code 0: no such live pod" in lines
    assert lines[-3:] == [
        "end: Failed: FailedIndexes: Job has failed indexes",
        "succeeded indexes: 2-9; failed: 0,1",
        "       0 FFSSSSSSSS",
    ]


def test_programs_get_the_simulation_as_json(tmp_path: Path) -> None:
    document = json.loads(printed(tmp_path, output="json"))
    scenes, end = document["scenes"], document["end"]

    assert len(scenes) == 6
    assert scenes[0]["turns"][0]["effects"][0] == {"do": "CreatePod", "index": 0, "counts": [0, 0]}
    assert (end["grid"], end["status"]["failed_indexes"], end["deletedAt"]) == ("FFSSSSSSSS", "0,1", None)


ON_FAILURE = """\
apiVersion: batch/v1
kind: Job
metadata: {generateName: again-}
spec:
  backoffLimit: 2
  template:
    spec:
      restartPolicy: OnFailure
      containers: [{name: main, image: example}]
"""


@pytest.mark.parametrize(
    ("outcomes", "end"),
    [
        ("[{exitCode: 1}, {}]", "end: Complete: CompletionsReached: Reached expected number of succeeded pods"),
        ("[{exitCode: 1, times: 2}]", "end: Failed: BackoffLimitExceeded: Job has reached the specified backoff limit"),
        ("[{exitCode: 137, reason: Evicted, times: 2}]", "end: the Job continues"),
    ],
)
def test_on_failure_restarts_in_the_pod_and_an_eviction_does_not(tmp_path: Path, outcomes: str, end: str) -> None:
    job, pods, out = tmp_path / "job.yaml", tmp_path / "outcomes.yaml", io.StringIO()
    job.write_text(ON_FAILURE)
    pods.write_text(f"outcomes: {outcomes}")
    run(JobRequest(job=job, pods=pods), out=out)

    assert out.getvalue().splitlines()[-1] == end


def test_a_seed_draws_the_same_simulation_each_time() -> None:
    told = []
    for _ in range(2):
        out = io.StringIO()
        run(JobRequest(job=STORY, seed=7), out=out)
        told.append(out.getvalue())

    assert told[0] == told[1]
    assert "end: " in told[0]


def test_wrong_files_and_wrong_usage_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown field `exitcode`"):
        printed(tmp_path, outcomes="outcomes:\n- {exitcode: 1}\n")
    with pytest.raises(UsageError, match="either --pods FILE or --random SEED"):
        run(JobRequest(job=STORY), out=io.StringIO())
