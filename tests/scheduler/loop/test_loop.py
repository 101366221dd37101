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
from tests.scheduler.loop import outcomes
from tests.scheduler.loop.whole import Whole, quick_settings, scheduler
from tests.scheduler.path import wait_until
from tests.scheduler.process import SchedulerProcess

pytestmark = pytest.mark.slow

SCRIPTS = {script: runs for script, runs in outcomes.SCRIPTS.items() if script not in outcomes.REQUESTS}
"""Jobs of which nobody asks anything."""

ENDS = {script: outcomes.ENDS[script] for script in SCRIPTS}


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Whole:
    """Files of their own; a rejected run is tried again at once."""
    monkeypatch.setattr("agent.scheduler.consume.reported.REJECTED_AGAIN", Backoff(first=0.01, most=0.01))
    return Whole(tmp_path)


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
        whole.assert_followed()

    assert ended == ENDS
    assert (failed["before"] > 2, failed["after"] > 2, agent.overlaps) == (True, True, [])
    runs = whole.runs()
    assert (runs["recovers"], runs["fine"]) == ([(0, 0), (1, 1), (2, 2)], [(0, 0)])


def test_a_scheduler_that_is_killed_again_and_again_leaves_every_job_to_the_next(whole: Whole, tmp_path: Path) -> None:
    whole.submit(*SCRIPTS)
    settings = quick_settings(tmp_path)
    with whole.agent(SCRIPTS) as agent:
        for number in range(2):
            process = SchedulerProcess(settings, log=tmp_path / f"log-{number}")
            wait_until(process.leads)
            time.sleep(0.2 * number)
            process.kill()
        with scheduler(whole.folder):
            assert whole.ended() == ENDS
            whole.assert_followed()
    assert agent.overlaps == []
