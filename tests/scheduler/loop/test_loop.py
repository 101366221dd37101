"""The whole loop: jobs that are submitted end, through a broker, a store, a scheduler and an agent."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection

from agent.backoff import Backoff
from agent.core.lifecycle.state import State
from agent.store.errors import StoreUnreachable
from agent.store.store import Store
from tests.scheduler.loop.whole import QUICK, Whole, scheduler
from tests.scheduler.path import wait_until
from tests.scheduler.process import SchedulerProcess, write_settings

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


@pytest.mark.parametrize(
    "given", [{}, {"times": 2}, {"obeys": 10}], ids=["once", "reports-twice", "commands-ten-times"]
)
def test_every_job_ends_as_its_runs_do(whole: Whole, given: dict[str, int]) -> None:
    whole.submit(*SCRIPTS)
    with whole.agent(SCRIPTS, **given) as agent, scheduler(whole.folder):
        assert whole.ended() == ENDS

    assert agent.overlaps == []
    runs = whole.runs()
    assert runs["recovers"] == [(0, 0), (1, 1), (2, 2)]
    assert runs["gives-up"] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert runs["rejected"] == [(0, 0), (0, 0)]


def test_every_job_ends_with_a_store_on_postgres(whole: Whole, postgres_store: str) -> None:
    there = Whole(whole.folder, store_url=postgres_store)
    there.submit(*SCRIPTS)
    with there.agent(SCRIPTS, times=2) as agent, scheduler(whole.folder, store=there.store_settings()):
        assert there.ended() == ENDS
    assert agent.overlaps == []


def test_commands_that_arrive_after_all_has_ended_start_nothing(whole: Whole) -> None:
    """A create of a run that was rejected makes a pod, which is discarded."""
    whole.submit(*SCRIPTS)
    with whole.agent(SCRIPTS) as agent, scheduler(whole.folder):
        assert whole.ended() == ENDS
        runs, started = whole.runs(), {uid for uid, pod in agent.pods.items() if pod.started}
        agent.scripts = dict.fromkeys(SCRIPTS, ("ok",))
        agent.obey_again()
        wait_until(lambda: len(agent.pods) > len(started))
        wait_until(lambda: all(pod.deleted for uid, pod in agent.pods.items() if uid not in started))

    assert (whole.ended(), whole.runs()) == (ENDS, runs)
    assert {uid for uid, pod in agent.pods.items() if pod.started} == started


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


Decide = Callable[[Store, Iterable[str]], AbstractContextManager[Connection]]


def unsure(decide: Decide, failed: Counter[str]) -> Decide:
    """Has decisions and passes fail now and then, before they are committed or after: who asked cannot know."""
    draw = random.Random(7)  # noqa: S311 - no secret

    @contextmanager
    def deciding(store: Store, scopes: Iterable[str]) -> Iterator[Connection]:
        locked = list(scopes)
        chance = draw.random() if locked else 0.5
        with decide(store, locked) as connection:
            yield connection
            if chance < 0.2:
                failed["before"] += 1
                raise StoreUnreachable("the connection was lost before the commit")
        if chance > 0.8:
            failed["after"] += 1
            raise StoreUnreachable("the answer to the commit was lost")

    return deciding


def test_no_transaction_that_fails_or_whose_answer_is_lost_does_harm(
    whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole.submit(*SCRIPTS)
    failed: Counter[str] = Counter()
    with whole.agent(SCRIPTS, times=2, max_runs=2) as agent, scheduler(whole.folder):
        monkeypatch.setattr(Store, "decide", unsure(Store.decide, failed))
        ended = whole.ended()

    assert ended == ENDS
    assert (failed["before"] > 2, failed["after"] > 2, agent.overlaps) == (True, True, [])
    runs = whole.runs()
    assert (runs["recovers"], runs["fine"]) == ([(0, 0), (1, 1), (2, 2)], [(0, 0)])


def test_a_scheduler_that_is_killed_again_and_again_leaves_every_job_to_the_next(whole: Whole, tmp_path: Path) -> None:
    whole.submit(*SCRIPTS)
    settings = write_settings(tmp_path, **QUICK)
    with whole.agent(SCRIPTS) as agent:
        for number in range(2):
            process = SchedulerProcess(settings, log=tmp_path / f"log-{number}")
            wait_until(process.leads)
            time.sleep(0.2 * number)
            process.kill()
        with scheduler(whole.folder):
            assert whole.ended() == ENDS
    assert agent.overlaps == []
