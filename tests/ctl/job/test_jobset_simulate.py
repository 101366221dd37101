"""``failctl jobset simulate``: the printed steps of a JobSet."""

import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.console.exits import Exit, UsageError
from agent.console.options import Form
from agent.core.jobset.gates import ALL_OFF, ALL_ON, Gates
from agent.ctl.job.jobset_simulate import JobSetRequest, run
from agent.ctl.job.suggest import SuggestRequest
from agent.ctl.job.suggest import run as suggest
from agent.ctl.main import app

STORIES = Path(__file__).parents[2] / "manifests/jobset/stories"
OUTCOMES = """\
outcomes:
- {replicatedJob: recoverable-workers, jobIndex: 1, exitCode: 1}
- {jobIndex: 3}
- {every: true, after: 1h}
"""


def printed(tmp_path: Path, *, output: Form = "table", outcomes: str = OUTCOMES) -> str:
    pods, out = tmp_path / "outcomes.yaml", io.StringIO()
    pods.write_text(outcomes)
    request = JobSetRequest(jobset=STORIES / "story-5.yaml", pods=pods, gates=ALL_ON, output=output)
    assert run(request, out=out) is Exit.FINE
    return out.getvalue()


def test_the_simulation_is_printed_with_decisions_limits_effects_and_events(tmp_path: Path) -> None:
    lines = [line.strip() for line in printed(tmp_path).splitlines()]

    job = "recreate-job-example-recoverable-workers"
    said = f"applying RestartJob failure policy action (first failed job: {job}-1)"
    assert lines[:5] == ["start", "+0 s", f"make {job}-* (2 Jobs)", f"exit code 1: {job}-1-0-0", "+0 s"]
    assert f"restart-job: RestartJobFailurePolicyAction: {said}" in lines
    assert "limit: maxRestarts: 0 of 10 restarts used: allowed" in lines
    assert f"event Warning RestartJobFailurePolicyAction: {said}" in lines
    assert f"delete {job}-*" in lines
    assert "exit code 0: no such live pod" in lines
    assert f"exit code 0: {job}-0-0-0 and 1 more" in lines
    assert lines[-3:] == [
        "end: Completed: AllJobsCompleted: jobset completed successfully",
        "restarts: 0, of which 0 count towards maxRestarts",
        "recoverable-workers, Jobs restarted alone: 1: 1",
    ]


def test_programs_get_the_simulation_as_json(tmp_path: Path) -> None:
    scenes = json.loads(printed(tmp_path, output="json"))

    assert len(scenes) == 4
    assert [effect["do"] for effect in scenes[0]["turns"][0]["effects"]] == ["CreateJob", "CreateJob"]
    assert scenes[1]["turns"][0]["explanation"][0].startswith("restart-job: ")
    assert scenes[3]["turns"][-1]["status"]["terminal_state"] == "Completed"


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_a_seed_draws_the_same_simulation_each_time(number: int) -> None:
    told = []
    for _ in range(2):
        out = io.StringIO()
        run(JobSetRequest(jobset=STORIES / f"story-{number}.yaml", seed=number, gates=ALL_ON), out=out)
        told.append(out.getvalue())

    assert told[0] == told[1]
    assert "end: " in told[0]
    assert "goes on" not in told[0]


@pytest.mark.parametrize(
    ("outcomes", "gates", "said"),
    [
        (OUTCOMES, ALL_OFF, "--gate RestartJob"),
        ("outcomes: [{jobindex: 1}]", ALL_ON, "unknown field `jobindex`"),
        (None, ALL_ON, "give either --pods FILE or --random SEED"),
    ],
)
def test_wrong_files_and_wrong_usage_are_reported(
    tmp_path: Path, outcomes: str | None, gates: Gates, said: str
) -> None:
    pods = tmp_path / "outcomes.yaml"
    pods.write_text(outcomes or "")
    request = JobSetRequest(jobset=STORIES / "story-5.yaml", pods=pods if outcomes else None, gates=gates)
    with pytest.raises(UsageError, match=said):
        run(request, out=io.StringIO())


def test_the_command_line_switches_gates() -> None:
    story = str(STORIES / "story-5.yaml")
    runs = {
        arguments: CliRunner().invoke(app, arguments.split())
        for arguments in (
            f"lint {story}",
            f"lint --gate RestartJob {story}",
            f"lint --gate Restart {story}",
            f"jobset simulate -f {story} --random 1 --gate RestartJob",
        )
    }

    assert [result.exit_code for result in runs.values()] == [1, 0, 2, 0]
    assert ["gate-off" in result.output for result in runs.values()] == [True, False, False, False]
    assert ["deprecated" in result.output for result in runs.values()] == [False, True, False, False]


@pytest.mark.parametrize(
    ("outcome", "end", "restarts"),
    [
        ("{reason: NodeLost}", "the JobSet continues", 1),
        ("{exitCode: 137, reason: OOMKilled}", "Failed: FailJobSetFailurePolicyAction: ", 0),
        ("{exitCode: 1}", "Failed: FailJobSetFailurePolicyAction: ", 0),
        ("{exitCode: 143}", "the JobSet continues", 1),
    ],
)
def test_a_jobset_with_the_suggested_rules_acts_on_our_conditions(
    tmp_path: Path, outcome: str, end: str, restarts: int
) -> None:
    jobset, pods, out = tmp_path / "jobset.yaml", tmp_path / "outcomes.yaml", io.StringIO()
    with jobset.open("w") as stream:
        suggest(SuggestRequest(file=STORIES / "story-1.yaml"), out=stream, err=io.StringIO())
    pods.write_text(f"outcomes: [{outcome}]")
    run(JobSetRequest(jobset=jobset, pods=pods, gates=ALL_OFF), out=out)

    ended, restarted = out.getvalue().splitlines()[-2:]
    assert ended.startswith(f"end: {end}")
    assert restarted.startswith(f"restarts: {restarts}, of which ")
