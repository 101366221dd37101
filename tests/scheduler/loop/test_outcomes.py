"""The whole loop on each stage: every job ends as its runs do and as people ask, and no two of its pods run at once."""

from pathlib import Path
from typing import Any

import pytest

from agent.backoff import Backoff
from tests.scheduler.loop.outcomes import ENDS, LIVED, RUNS
from tests.scheduler.loop.playing import Jobs, Stage, play
from tests.scheduler.loop.real_stage import RealStage, Site
from tests.scheduler.loop.scripted_stage import ScriptedStage
from tests.servers.control_plane import ControlPlane
from tests.servers.pulsar_namespace import PulsarNamespace

pytestmark = pytest.mark.slow


@pytest.fixture(name="quick", autouse=True)
def a_rejected_run_is_tried_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.scheduler.consume.reported.REJECTED_AGAIN", Backoff(first=0.01, most=0.01))


def check(stage: Stage) -> None:
    assert_as_scripted(stage, play(stage))

    stage.repeat_commands()

    assert_as_scripted(stage, stage.jobs())
    stage.assert_followed()


def assert_as_scripted(stage: Stage, jobs: Jobs) -> None:
    assert {script: job.state for script, job in jobs.items()} == ENDS
    assert {script: [(run.index, run.attempt) for run in job.runs] for script, job in jobs.items()} == RUNS
    assert {**dict.fromkeys(LIVED, 0), **stage.lived()} == LIVED
    assert stage.overlaps() == []


@pytest.mark.parametrize(
    "given", [{}, {"times": 2}, {"obeys": 10}], ids=["once", "reports-twice", "commands-ten-times"]
)
def test_every_job_ends_as_its_runs_do(tmp_path: Path, given: dict[str, Any]) -> None:
    with ScriptedStage(tmp_path, **given) as stage:
        check(stage)


def test_every_job_ends_with_a_store_on_postgres(tmp_path: Path, postgres_store: str) -> None:
    with ScriptedStage(tmp_path, store_url=postgres_store, times=2) as stage:
        check(stage)


@pytest.mark.timeout(240)  # processes start three times, which takes its time on a busy machine
def test_every_job_ends_on_real_parts(
    scheduled_control_plane: ControlPlane, pulsar_namespace: PulsarNamespace, postgres_store: str, tmp_path: Path
) -> None:
    """Its roles are all that the agent needs."""
    site = Site(plane=scheduled_control_plane, pulsar=pulsar_namespace, store_url=postgres_store, folder=tmp_path)
    with RealStage(site) as stage:
        check(stage)
        assert stage.missing_rights() == set()
        assert stage.obeyed() >= {"create", "start", "stop", "discard"}
