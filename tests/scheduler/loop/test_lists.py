"""What the loop learns from lists of pods: what was lost, what is missing, and what nobody started."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.names import PodNames
from agent.core.lifecycle.state import State
from agent.core.lifecycle.waits import ForOrphan, why_it_waits
from agent.core.run_event import Identity, PodReference
from agent.scheduler.app import App
from agent.scheduler.schedule.terms import PassTerms
from agent.scheduler.service.confirming import StopConfirmations
from agent.scheduler.service.rights import Everybody
from agent.scheduler.service.waiting import Waiting
from agent.settings.scheduler import RunSettings
from agent.store import orphans
from agent.store.store import Store
from tests.scheduler.loop.scripted_agent import Pod, ScriptedAgent
from tests.scheduler.loop.whole import QUICK, Whole, scheduler
from tests.scheduler.path import decision_inputs, now, wait_until

pytestmark = pytest.mark.slow

RETRIED = """\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml}
spec:
  rules:
    - {name: missing, action: Retry, retryLimit: 1, onCategory: internal, onSubcategory: pod-missing}
    - {name: oom, action: Retry, retryLimit: 1, onConditions: [OOMKilled]}
"""


@pytest.fixture
def whole(tmp_path: Path) -> Whole:
    return Whole(tmp_path)


def scheduler_that_asks_often(whole: Whole) -> AbstractContextManager[App]:
    (policy := whole.folder / "retried.yaml").write_text(RETRIED)
    runs = {**QUICK["runs"], "listInterval": "100ms"}
    return scheduler(whole.folder, runs=runs, policies=[str(policy)])


def confirm(whole: Whole, name: str) -> None:
    terms = PassTerms(inputs=decision_inputs(), runs=RunSettings())
    with Store.open(whole.place.store_url) as store:
        confirmations = StopConfirmations(
            store, rights=Everybody(), clock=lambda _: now(), waiting=Waiting(lambda: terms)
        )
        (result,) = confirmations.confirm([name], who="ann", reason="")
    assert result.outcome == "done"


def wait_for(whole: Whole, job_id: str, holds: Callable[[SubmittedJob], bool]) -> SubmittedJob:
    with Store.open(whole.place.store_url) as store:
        wait_until(lambda: holds(whole.held(store)[job_id]))
        return whole.held(store)[job_id]


def test_a_create_that_was_lost_is_sent_again_at_once(whole: Whole) -> None:
    """Without a list it would be sent again after a minute, which is longer than the test waits."""
    whole.submit("fine")
    with whole.agent({"fine": ("ok",)}, loses={"fine"}) as agent, scheduler_that_asks_often(whole):
        assert whole.ended() == {"fine": State.SUCCEEDED}
    assert len(agent.pods) == 1


def test_a_pod_that_vanished_while_nobody_watched_is_missing_and_its_run_is_retried(whole: Whole) -> None:
    whole.submit("vanishes")
    with whole.agent({"vanishes": ("hang", "ok")}, times=2) as agent, scheduler_that_asks_often(whole):
        job = wait_for(whole, "job-vanishes", lambda job: job.state is State.RUNNING)
        agent.vanish(job.runs[0].uid or "")
        job = wait_for(whole, "job-vanishes", lambda job: job.state is State.RETRY_WAITING)
        confirm(whole, job.runs[0].run_id)
        assert whole.ended() == {"vanishes": State.SUCCEEDED}
    assert whole.runs()["vanishes"] == [(0, 0), (1, 1)]


def stray(agent: ScriptedAgent, job_id: str) -> str:
    """A pod under the name of the job's first run, which somebody made without our gate."""
    reference = PodReference(namespace="jobs", name=PodNames().of(job_id, 0), uid="stray", node="n9")
    pod = Pod(reference, Identity(job_id=job_id, run_id="somebody-elses"), "hang", gated=False, started=True)
    agent.pods[reference.uid] = pod
    return reference.uid


@pytest.mark.parametrize("leaves", [False, True], ids=["a person vouches for it", "it leaves"])
def test_an_orphan_holds_the_next_run_until(whole: Whole, *, leaves: bool) -> None:
    with whole.agent({"held": ("oom", "ok")}) as agent, scheduler_that_asks_often(whole):
        uid = stray(agent, "job-held")
        with Store.open(whole.place.store_url) as store:

            def is_known() -> bool:
                with store.read() as connection:
                    return bool(orphans.named(connection, [uid]))

            wait_until(is_known)
        whole.submit("held")
        job = wait_for(whole, "job-held", lambda job: job.state is State.RETRY_WAITING and bool(job.orphans))
        assert isinstance(why_it_waits(job, now(), retries_stopped=False), ForOrphan)

        if leaves:
            agent.vanish(uid)
        else:
            confirm(whole, uid)
        assert whole.ended() == {"held": State.SUCCEEDED}
    assert whole.runs()["held"] == [(0, 0), (1, 1)]
    assert agent.pods[uid].deleted is leaves
