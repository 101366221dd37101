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


ACTING = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  backoffLimit: 1
  podFailurePolicy:
    rules:
    - {action: FailJob, onPodConditions: [{type: failure-agent.dev/Hopeless}]}
    - {action: Ignore, onPodConditions: [{type: failure-agent.dev/Infrastructure}]}
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: example}]
"""
NO_DEVICE = '"Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu"'
LOST = """\
order: evidence
errorCategories:
- {name: lost, condition: true, origin: infra, retry: elsewhere, rules: [{onExitCodes: {operator: In, values: [7]}}]}
"""


@pytest.mark.parametrize(
    ("outcomes", "end"),
    [
        # A condition of ours that the outcome gives, and the same failure without it.
        ("[{exitCode: 1, conditions: [failure-agent.dev/Infrastructure], times: 3}, {}]", "end: Complete: "),
        ("[{exitCode: 1, times: 3}]", "end: Failed: BackoffLimitExceeded"),
        ("[{exitCode: 1, conditions: [failure-agent.dev/Hopeless]}]", "end: Failed: PodFailurePolicy"),
        # The conditions that follow from the failure.
        ("[{reason: UnexpectedAdmissionError, message: %s, times: 3}, {}]", "end: Complete: "),
        ("[{reason: UnexpectedAdmissionError, message: %s, times: 6}]", "end: Failed: BackoffLimitExceeded"),
        ("[{exitCode: 137, reason: OOMKilled}]", "end: Failed: PodFailurePolicy"),
        # What the program itself wrote.
        ("[{exitCode: 3, reason: Error, message: %s, times: 3}]", "end: Failed: BackoffLimitExceeded"),
    ],
)
def test_a_job_acts_on_our_conditions(tmp_path: Path, outcomes: str, end: str) -> None:
    job, pods, out = tmp_path / "job.yaml", tmp_path / "outcomes.yaml", io.StringIO()
    job.write_text(ACTING)
    pods.write_text("outcomes: " + outcomes.replace("%s", NO_DEVICE))
    run(JobRequest(job=job, pods=pods), out=out)

    assert out.getvalue().splitlines()[-1].startswith(end)


def test_the_conditions_by_rules_are_shown_with_their_reason(tmp_path: Path) -> None:
    job, pods, rules, out = (tmp_path / name for name in ("job.yaml", "outcomes.yaml", "rules.yaml", "out"))
    job.write_text(ACTING.replace("backoffLimit: 1", "backoffLimit: 5"))
    pods.write_text("outcomes: [{exitCode: 1}, {exitCode: 7}, {exitCode: 143, conditions: [DisruptionTarget]}]")
    rules.write_text(LOST)
    with out.open("w") as stream:
        run(JobRequest(job=job, pods=pods, rules=rules), out=stream)

    lines = [line.strip() for line in out.read_text().splitlines() if "by rules" in line]
    assert lines == [
        "by rules: no condition: no-rule",
        "by rules: no condition: not-proven",
        "by rules: no condition: disrupted",
    ]


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
