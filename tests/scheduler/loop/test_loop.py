"""The whole loop: jobs that are submitted end, through a broker, a store, a scheduler and an agent."""

import threading
from pathlib import Path

import pytest

from agent.backoff import Backoff
from agent.core.lifecycle.state import State
from tests.scheduler.loop.whole import Whole, scheduler

pytestmark = pytest.mark.slow

SCRIPTS = {
    "fine": ("ok",),
    "recovers": ("oom", "oom", "ok"),
    "crashes": ("crash",),
    "gives-up": ("oom",),
    "halts": ("halt",),
    "rejected": ("reject", "ok"),
    "refused": ("refuse",),
}
ENDS = {
    "fine": State.SUCCEEDED,
    "recovers": State.SUCCEEDED,
    "crashes": State.FAILED,
    "gives-up": State.FAILED,
    "halts": State.FAILED,
    "rejected": State.SUCCEEDED,
    "refused": State.FAILED,
}


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Whole:
    """Files of their own; a rejected run is tried again at once."""
    monkeypatch.setattr("agent.scheduler.consume.reported.REJECTED_AGAIN", Backoff(first=0.01, most=0.01))
    return Whole(tmp_path)


@pytest.mark.parametrize("times", [1, 2])
def test_every_job_ends_as_its_runs_do(whole: Whole, times: int) -> None:
    """Also if every report comes twice."""
    whole.submit(*SCRIPTS)
    with whole.agent(SCRIPTS, times=times) as agent, scheduler(whole.folder):
        assert whole.ended() == ENDS

    assert agent.overlaps == []
    runs = whole.runs()
    assert runs["recovers"] == [(0, 0), (1, 1), (2, 2)]
    assert runs["gives-up"] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert runs["rejected"] == [(0, 0), (0, 0)]


def test_jobs_wait_for_an_agent_and_a_scheduler(whole: Whole) -> None:
    whole.submit("fine")
    with scheduler(whole.folder):
        pass
    with whole.agent(SCRIPTS):
        pass
    with scheduler(whole.folder), whole.agent(SCRIPTS):
        assert whole.ended() == {"fine": State.SUCCEEDED}


def test_another_scheduler_takes_over(whole: Whole) -> None:
    """Of two, one leads; when it stops, the other one goes on at once."""
    jobs = [f"fine-{number}" for number in range(20)]
    scripts = dict.fromkeys(jobs, ("oom", "ok"))
    with whole.agent(scripts) as agent, scheduler(whole.folder):
        with scheduler(whole.folder):
            whole.submit(*jobs[:10])
            whole.ended()
            whole.submit(*jobs[10:])
        assert set(whole.ended().values()) == {State.SUCCEEDED}
    assert agent.overlaps == []
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("publish ")]
