"""What one pass over the jobs does."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from structlog.testing import capture_logs

from agent.core.heartbeat import RunOffer
from agent.core.lifecycle.inputs import Cancel, NeverRetry, Retry
from agent.core.lifecycle.job import EndedBy
from agent.core.lifecycle.run import GracefulShutdown, LostCluster
from agent.core.lifecycle.state import State
from agent.core.queue import GracefulShutdown as QueueShutdown
from agent.core.queue import Queue
from agent.core.retry.catalog import Catalog
from agent.core.retry.policy import RetrySettings
from agent.core.run_command import CreateRun
from agent.core.run_event import RunCreated, RunPhase, RunRejected, RunStopped, StopAnswer
from agent.scheduler.schedule.scheduling_pass import SchedulingPass
from agent.scheduler.schedule.terms import PassTerms
from agent.scheduler.service.confirming import StopConfirmations
from agent.scheduler.service.rights import Everybody
from agent.scheduler.service.waiting import Waiting
from agent.settings.scheduler import RunSettings
from agent.store import clusters
from agent.store.errors import LeadershipLost
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.submitted.held import Held
from tests.core.retry.builders import Row, compiled
from tests.scheduler.path import POLICY, decision_inputs
from tests.scheduler.runs import CONTAINERS, OFFER, Loop, heartbeat
from tests.store.databases import new_store
from tests.store.events import failed

SETTINGS = RunSettings(graceful_shutdown=GracefulShutdown.CONFIRMED, lost_cluster=LostCluster.WAIT)


class Passes:
    """A store, and passes over it."""

    def __init__(self, store: Store, policy: Row = POLICY) -> None:
        self.loop = Loop(store, inputs=decision_inputs(policy))
        self.terms = PassTerms(inputs=self.loop.inputs, runs=SETTINGS)
        self.fenced = 0
        names = (f"r{number}" for number in count())
        self._pass = SchedulingPass(
            store, terms=lambda: self.terms, clock=lambda _: self.loop.now, new_run_id=lambda: next(names)
        )

    def run(self) -> None:
        self._pass.run(self._fence)

    def _fence(self, _: Connection) -> None:
        self.fenced += 1

    def hear(self, name: str = "east", offer: RunOffer | None = OFFER) -> None:
        with self.loop.store.write() as connection:
            clusters.record(connection, heartbeat(name, runs=offer), received_at=self.loop.now)

    def wait(self, seconds: float) -> None:
        """Wait, with a cluster that goes on sending heartbeats."""
        self.loop.wait(seconds)
        self.hear()

    def use(self, policy: Row = POLICY, **queue: Any) -> None:
        """Go by this policy, and by a queue ``ml`` of these fields."""
        (compiled_policy,) = compiled(policy)
        catalog = Catalog(
            {compiled_policy.policy.name: compiled_policy},
            queues={"ml": Queue(name="ml", **queue)},
            default=compiled_policy.policy.name,
        )
        self.terms = replace(self.terms, inputs=replace(self.terms.inputs, catalog=catalog))

    def set_policies(self, *, enabled: bool) -> None:
        """Whether retry policies decide, and each run has a name of its own, from now on."""
        self.loop.inputs = replace(self.loop.inputs, settings=RetrySettings(enabled=enabled))
        self.loop.decisions.use(self.loop.inputs)
        self.terms = replace(self.terms, inputs=self.loop.inputs)

    def created(self) -> list[str]:
        """The names of the pods that were asked for."""
        return [content.pod_name for _, content in self.loop.commands() if isinstance(content, CreateRun)]

    def states(self, *job_ids: str) -> list[State]:
        return [self.loop.job(job_id).state for job_id in job_ids]

    def begin(self, run: int = 0) -> None:
        """Have the pod of run ``r0``, ``r1``... recorded and run."""
        self.loop.handle(
            self.loop.event(RunCreated(), run, run_id=f"r{run}", gated=True), self.loop.event(RunPhase.RUNNING, run)
        )

    def fail(self, run: int = 0, **envelope: Any) -> None:
        self.begin(run)
        self.loop.tell(failed(), run, **{"confirmed": CONTAINERS, **envelope})


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


@pytest.fixture
def passes(file_store: Store) -> Passes:
    return Passes(file_store)


def test_a_job_is_leased(passes: Passes) -> None:
    passes.loop.submit()
    passes.run()

    job = passes.loop.job()
    assert (job.state, job.runs[0].cluster) == (State.LEASED, "id-east")
    assert passes.loop.sent() == ["create r0"]


def test_a_pass_without_work_writes_nothing(passes: Passes) -> None:
    passes.run()
    passes.loop.submit()
    passes.run()
    passes.run()

    assert passes.fenced == 1


def test_a_pass_of_an_earlier_leader_leases_nothing(passes: Passes, file_store: Store) -> None:
    passes.loop.submit()

    def lost(_: Connection) -> None:
        raise LeadershipLost("epoch 1 is over")

    late = SchedulingPass(
        file_store, terms=lambda: passes.terms, clock=lambda _: passes.loop.now, new_run_id=lambda: "late"
    )
    with pytest.raises(LeadershipLost):
        late.run(lost)
    assert (passes.states("j"), passes.loop.sent()) == ([State.QUEUED], [])


def test_no_more_runs_than_a_cluster_takes(passes: Passes) -> None:
    passes.hear(offer=RunOffer(namespaces=("jobs",), max_runs=2))
    for number in range(3):
        passes.loop.submit(f"j{number}")
    passes.run()
    passes.run()

    assert passes.states("j0", "j1", "j2") == [State.LEASED, State.LEASED, State.QUEUED]


def test_the_lower_priority_number_comes_first(passes: Passes) -> None:
    passes.hear(offer=RunOffer(namespaces=("jobs",), max_runs=1))
    passes.loop.submit("a", priority=2.0)
    passes.loop.submit("b", priority=1.0)
    passes.run()

    assert passes.states("a", "b") == [State.QUEUED, State.LEASED]


def test_a_silent_cluster_gets_nothing_until_it_is_heard(passes: Passes) -> None:
    passes.loop.submit()
    passes.loop.wait(60)
    passes.run()
    assert passes.states("j") == [State.QUEUED]

    passes.hear()
    passes.run()
    assert passes.states("j") == [State.LEASED]


@pytest.mark.parametrize("held_by", [{"cordoned": True}, {"clusters": ("west",)}, {"max_active_runs": 0}], ids=str)
def test_a_queue_may_hold_its_jobs(passes: Passes, held_by: dict[str, Any]) -> None:
    passes.use(**held_by)
    passes.loop.submit()
    passes.run()

    assert passes.states("j") == [State.QUEUED]


def test_a_queue_has_no_more_runs_than_it_may(passes: Passes) -> None:
    passes.use(max_active_runs=2)
    for number in range(3):
        passes.loop.submit(f"j{number}")
    passes.run()

    assert passes.states("j0", "j1", "j2") == [State.LEASED, State.LEASED, State.QUEUED]


def test_the_terms_of_a_run_are_those_of_its_queue(passes: Passes) -> None:
    passes.use(graceful_shutdown=QueueShutdown.TIMER)
    pod = b'{"spec": {"terminationGracePeriodSeconds": 90, "containers": []}}'
    passes.loop.submit(pod=pod)
    passes.run()

    terms = passes.loop.job().runs[0].terms
    assert terms.graceful_shutdown is GracefulShutdown.TIMER
    assert terms.lost_cluster is LostCluster.WAIT
    assert terms.grace == timedelta(seconds=90)


def test_a_retry_starts_when_its_pod_is_confirmed_and_its_time_has_come(passes: Passes) -> None:
    passes.loop.submit()
    passes.run()
    passes.fail(confirmed=None)
    passes.loop.wait(10)
    passes.run()
    assert passes.states("j") == [State.RETRY_WAITING]

    passes.loop.tell(failed(), confirmed=CONTAINERS)
    passes.run()
    assert [run.index for run in passes.loop.job().runs] == [0, 1]
    assert passes.loop.sent()[-1] == "create r1"


def test_a_retry_starts_when_a_person_vouches_for_the_stop(passes: Passes) -> None:
    passes.loop.submit()
    passes.run()
    passes.fail(confirmed=None)
    passes.wait(1_000)
    passes.run()
    assert passes.states("j") == [State.RETRY_WAITING]

    confirmations = StopConfirmations(
        passes.loop.store, rights=Everybody(), clock=lambda _: passes.loop.now, waiting=Waiting(lambda: passes.terms)
    )
    confirmations.confirm(["r0"], who="ann", reason="")
    passes.run()
    assert passes.loop.sent()[-1] == "create r1"


@pytest.mark.parametrize(("enabled", "second"), [(True, "armada-j-0-1"), (False, "armada-j-0")])
def test_a_run_is_named_as_the_settings_say_when_it_is_leased(passes: Passes, second: str, *, enabled: bool) -> None:
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.set_policies(enabled=enabled)
    passes.wait(1000)
    passes.run()

    assert passes.created() == ["armada-j-0", second]


def test_a_run_keeps_its_name_when_the_settings_change(passes: Passes) -> None:
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.wait(1000)
    passes.run()
    passes.set_policies(enabled=False)
    passes.terms = replace(passes.terms, runs=SETTINGS.model_copy(update={"pod_name_prefix": "ours-"}))
    passes.wait(60)
    passes.run()
    passes.loop.tell(RunRejected(reason="Quota", message=""), None, run_id="r1")
    passes.wait(1000)
    passes.run()

    assert passes.created() == ["armada-j-0", "armada-j-0-1", "armada-j-0-1", "armada-j-0-1"]


def test_without_retry_policies_only_a_run_that_its_cluster_returned_is_retried(passes: Passes) -> None:
    passes.set_policies(enabled=False)
    passes.loop.submit()
    passes.run()
    passes.fail()

    assert passes.states("j") == [State.FAILED]


def test_retries_may_be_held(passes: Passes) -> None:
    passes.terms = replace(passes.terms, retries_stopped=True)
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.loop.wait(10)
    passes.run()
    assert passes.states("j") == [State.RETRY_WAITING]

    passes.terms = replace(passes.terms, retries_stopped=False)
    passes.run()
    assert passes.states("j") == [State.LEASED]


def test_a_lowered_limit_ends_a_retry_that_waits(passes: Passes) -> None:
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.use({"name": "ml", "rules": [{"name": "oom", "retryLimit": 0, "onConditions": ["OOMKilled"]}]})
    passes.loop.wait(10)
    passes.run()

    job = passes.loop.job()
    assert job.ending is not None
    assert (job.state, job.ending.by) == (State.FAILED, EndedBy.LIMIT)
    assert passes.loop.verdicts() == {"r0": "retry"}


def test_a_limit_that_the_retry_itself_used_up_does_not_end_it(passes: Passes) -> None:
    passes.use({"name": "ml", "rules": [{"name": "oom", "retryLimit": 1, "onConditions": ["OOMKilled"]}]})
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.loop.wait(10)
    passes.run()

    assert passes.states("j") == [State.LEASED]


@pytest.mark.parametrize("policy", [{"name": "ml", "defaultAction": "Fail"}, {"name": "ml", "rules": []}], ids=str)
def test_a_rule_that_changed_ends_no_retry_that_waits(passes: Passes, policy: Row) -> None:
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.use(policy)
    passes.loop.wait(10)
    passes.run()

    assert passes.states("j") == [State.LEASED]


def test_a_retry_that_a_person_granted_is_outside_all_limits(passes: Passes) -> None:
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.use({"name": "ml", "rules": [{"name": "oom", "retryLimit": 0, "onConditions": ["OOMKilled"]}]})
    passes.loop.take(Retry())
    passes.run()

    assert passes.states("j") == [State.LEASED]


def test_memory_grows_from_run_to_run(file_store: Store) -> None:
    rule = {"name": "oom", "retryLimit": 3, "onConditions": ["OOMKilled"], "memory": {"factor": 2.0}}
    passes = Passes(file_store, {"name": "ml", "rules": [rule]})
    passes.loop.submit()
    for number in range(3):
        passes.run()
        passes.fail(number)
        passes.wait(1000)
    passes.run()

    sizes = [
        command.pod.decode().split('"limits":{"memory":"')[-1][:3]
        for _, command in passes.loop.commands()
        if isinstance(command, CreateRun)
    ]
    assert sizes[1:] == ["2Gi", "4Gi", "8Gi"]


def test_a_rejected_retry_keeps_its_memory(file_store: Store) -> None:
    rule = {"name": "oom", "retryLimit": 3, "onConditions": ["OOMKilled"], "memory": {"factor": 2.0}}
    passes = Passes(file_store, {"name": "ml", "rules": [rule]})
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.wait(1000)
    passes.run()
    passes.loop.tell(RunRejected(reason="Quota", message=""), None, run_id="r1")
    passes.wait(1000)
    passes.run()

    with file_store.read() as connection:
        memory = held.load(connection, ["j"])["j"].memory
    assert set(memory) == {"r1", "r2"}
    assert memory["r1"] == memory["r2"]


@pytest.mark.parametrize(("ended_by", "reopened_by"), [(Cancel(), Retry()), (None, Retry(again=True))])
def test_a_run_that_a_person_grants_keeps_the_memory_of_the_last(
    file_store: Store, ended_by: Cancel | None, reopened_by: Retry
) -> None:
    rule = {"name": "oom", "retryLimit": 3, "onConditions": ["OOMKilled"], "memory": {"factor": 2.0}}
    passes = Passes(file_store, {"name": "ml", "rules": [rule]})
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.wait(1000)
    passes.run()
    passes.begin(1)
    if ended_by is not None:
        passes.loop.take(ended_by)
    passes.loop.tell(RunPhase.SUCCEEDED, 1, confirmed=CONTAINERS)
    passes.loop.take(reopened_by)
    passes.wait(0)
    passes.run()

    memory = passes.loop.memory()
    assert memory["r1"] == memory["r2"]


def test_a_command_without_an_answer_is_sent_again(passes: Passes) -> None:
    passes.loop.submit()
    passes.run()
    passes.loop.wait(59)
    passes.run()
    assert passes.loop.sent() == ["create r0"]

    passes.loop.wait(1)
    passes.run()
    passes.run()
    assert passes.loop.sent() == ["create r0", "create r0"]


def test_a_job_stops_when_its_grace_is_over(passes: Passes) -> None:
    passes.use(graceful_shutdown=QueueShutdown.TIMER)
    passes.loop.submit()
    passes.run()
    passes.loop.take(NeverRetry())
    passes.fail(confirmed=None)
    assert passes.states("j") == [State.STOPPING]

    passes.loop.wait(30)
    passes.run()
    assert passes.states("j") == [State.FAILED]


def test_jobs_that_cannot_run_do_not_hold_up_others(passes: Passes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.scheduler.schedule.scheduling_pass.SLICE", 2)
    for number in range(5):
        passes.loop.submit(f"other{number}", namespace="elsewhere")
        passes.loop.submit(f"j{number}")
    passes.run()

    assert passes.states(*(f"j{number}" for number in range(5))) == [State.LEASED] * 5
    assert passes.states(*(f"other{number}" for number in range(5))) == [State.QUEUED] * 5


@pytest.mark.parametrize("room", ["none", "queue"])
def test_jobs_that_only_wait_for_room_are_not_read(passes: Passes, monkeypatch: pytest.MonkeyPatch, room: str) -> None:
    passes.loop.submit("retried")
    passes.run()
    passes.loop.handle(passes.loop.event(RunCreated(), job_id="retried", run_id="r0", gated=True))
    passes.loop.tell(failed(), job_id="retried")
    passes.loop.submit("queued")
    passes.loop.wait(60)
    passes.hear(offer=RunOffer(namespaces=("jobs",), max_runs=0) if room == "none" else OFFER)
    passes.use(cordoned=room == "queue")
    read: list[str] = []
    load = held.load

    def noting(connection: Connection, job_ids: Sequence[str]) -> dict[str, Held]:
        read.extend(job_ids)
        return load(connection, job_ids)

    monkeypatch.setattr(held, "load", noting)
    passes.run()
    assert set(read) == {"retried"}, "its stop has no answer yet"

    passes.loop.tell(RunStopped(answer=StopAnswer.GONE), job_id="retried", confirmed=CONTAINERS)
    read.clear()
    passes.run()
    assert read == []


def test_a_job_that_cannot_be_taken_holds_up_no_other(passes: Passes) -> None:
    for number in range(4):
        passes.loop.submit(f"j{number}")
    passes.loop.submit("broken", pod=b"{}")
    with capture_logs() as logged:
        passes.run()
        passes.run()

    assert passes.states("j0", "j1", "j2", "j3", "broken") == [*[State.LEASED] * 4, State.QUEUED]
    assert [line["job"] for line in logged if line["log_level"] == "error"] == ["broken"]


def test_each_database_leases_and_repeats(store: Store) -> None:
    passes = Passes(store)
    passes.loop.submit()
    passes.run()
    passes.fail()
    passes.loop.wait(10)
    passes.run()
    passes.loop.wait(60)
    passes.run()

    assert passes.loop.sent() == ["create r0", "start j-u0", "create r1", "create r1"]
