"""What events mean to submitted jobs: batches in, steps of jobs, verdicts and commands out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from agent.core.evidence import ContainerMemory
from agent.core.failure import Occurrence
from agent.core.lifecycle.inputs import Cancel, NeverRetry, Retry
from agent.core.lifecycle.job import EndedBy
from agent.core.lifecycle.state import State
from agent.core.run_event import (
    Amendment,
    Confirmation,
    Content,
    CreationFailed,
    Identity,
    NameHeld,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunStopped,
    StopAnswer,
)
from agent.store import clusters, timeline
from agent.store.store import Store
from agent.store.tables.failures import table as failure_table
from tests.core.lifecycle.made import TIMER
from tests.scheduler.path import decision_inputs
from tests.scheduler.runs import CONTAINERS, Loop, heartbeat
from tests.store.databases import new_store
from tests.store.events import failed

QUOTA = RunRejected(reason="Forbidden", message="exceeded quota")
DENIED = CreationFailed(reason="Forbidden", message="denied by a webhook")
CRASH = failed(containers=[{"name": "main", "exitCode": 1, "reason": "Error"}])


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file: what differs between databases is tried by ``test_each_database_tells_the_same_story``."""
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


@pytest.fixture
def loop(file_store: Store) -> Loop:
    """A job whose first run is leased."""
    made = Loop(file_store)
    made.submit()
    made.lease()
    return made


def begin(loop: Loop, number: int = 0) -> None:
    """Have the pod of a run recorded, and its gate removed."""
    loop.handle(loop.event(RunCreated(), number, gated=True), loop.event(RunPhase.RUNNING, number))


def failures(loop: Loop) -> list[tuple[str, str, str]]:
    """Event, run and queue of each failure that is stored."""
    with loop.store.read() as connection:
        rows = connection.execute(failure_table.select().order_by(failure_table.c.event_id))
        return [(row.event_id, row.run_id, row.queue) for row in rows]


def test_a_pod_is_recorded_and_started(loop: Loop) -> None:
    loop.tell(RunCreated(), gated=True)

    assert loop.job().runs[0].uid == "j-u0"
    assert loop.sent() == ["create j-r0", "start j-u0"]


def test_a_run_goes_through_its_states_in_one_batch(loop: Loop) -> None:
    loop.handle(
        loop.event(RunCreated(), gated=True),
        loop.event(RunPhase.PENDING),
        loop.event(RunPhase.RUNNING),
        loop.event(RunPhase.SUCCEEDED, confirmed=CONTAINERS),
    )

    job = loop.job()
    assert (job.state, job.runs[0].node, job.runs[0].confirmed) == (State.SUCCEEDED, "n1", CONTAINERS)


def test_a_pod_behind_our_gate_is_not_pending_yet(loop: Loop) -> None:
    loop.handle(loop.event(RunCreated(), gated=True), loop.event(RunPhase.PENDING, gated=True))

    assert loop.job().state is State.LEASED


def test_a_failure_is_decided_and_its_pod_stopped(loop: Loop) -> None:
    begin(loop)
    loop.tell(failed())

    job = loop.job()
    assert (job.state, loop.verdicts()) == (State.RETRY_WAITING, {"j-r0": "retry"})
    assert loop.sent()[2:] == ["stop j-u0"]


def test_a_failure_that_fails_ends_the_job_when_its_pod_is_confirmed(loop: Loop) -> None:
    begin(loop)
    loop.tell(CRASH)
    assert loop.job().state is State.STOPPING

    loop.tell(RunStopped(answer=StopAnswer.FAILED_BEFORE), confirmed=CONTAINERS)
    assert (loop.job().state, loop.verdicts()) == (State.FAILED, {"j-r0": "fail"})


def test_who_a_failure_belongs_to_comes_from_the_row(loop: Loop) -> None:
    begin(loop)
    event = loop.event(failed())
    forged = Identity(job_id="other", run_id="other-run", queue="other", attempt=9, retry_policies="none")
    loop.handle(RunEvent(**{name: getattr(event, name) for name in event.__struct_fields__} | {"identity": forged}))

    assert failures(loop) == [(event.event_id, "j-r0", "ml")]
    assert loop.verdicts() == {"j-r0": "retry"}
    with loop.store.read() as connection:
        assert timeline.find(connection, "other") is None
        found = timeline.find(connection, "j")
    assert found is not None
    assert [(run.run_id, run.attempt) for run in found.runs] == [("j-r0", 0)]


@pytest.mark.parametrize("times", [1, 3])
def test_events_may_come_again_and_late(loop: Loop, times: int) -> None:
    told = [
        loop.event(RunCreated(), gated=True),
        loop.event(RunPhase.RUNNING),
        loop.event(failed(), confirmed=CONTAINERS),
        loop.event(RunStopped(answer=StopAnswer.FAILED_BEFORE), confirmed=CONTAINERS),
    ]
    for _ in range(times):
        loop.handle(*told)
    loop.lease(1)
    job = loop.job()
    loop.handle(*told)

    assert loop.job() == job
    assert (len(failures(loop)), loop.verdicts()) == (1, {"j-r0": "retry"})


def test_what_comes_before_the_uid_is_decided_when_it_is_recorded(loop: Loop) -> None:
    crash = loop.event(failed(), confirmed=CONTAINERS)
    loop.handle(loop.event(RunPhase.RUNNING), crash)
    assert (loop.job().state, failures(loop)) == (State.LEASED, [])

    loop.handle(crash)
    loop.tell(RunCreated(), gated=True)

    assert (loop.job().state, loop.verdicts()) == (State.RETRY_WAITING, {"j-r0": "retry"})
    assert failures(loop) == [(crash.event_id, "j-r0", "ml")]


def reports_in(loop: Loop, order: Sequence[int], job_id: str) -> list[RunEvent]:
    told = [
        loop.event(RunCreated(), job_id=job_id, gated=True),
        loop.event(RunPhase.RUNNING, job_id=job_id),
        loop.event(failed(), job_id=job_id),
        loop.event(RunStopped(answer=StopAnswer.FAILED_BEFORE), job_id=job_id, confirmed=CONTAINERS),
    ]
    return [told[place] for place in order]


@pytest.mark.slow
def test_a_batch_in_any_order_does_what_its_events_do_one_by_one(file_store: Store) -> None:
    loop = Loop(file_store)
    for order in permutations(range(4)):
        ends = []
        for size in (1, 4):
            job_id = "-".join(map(str, (*order, size)))
            loop.submit(job_id)
            loop.lease(job_id=job_id)
            events = reports_in(loop, order, job_id)
            for start in range(0, len(events), size):
                loop.handle(*events[start : start + size])
            job = loop.job(job_id)
            ends.append((job.state, job.next, replace(job.runs[0], run_id="", uid="", pod_name="")))
            created, _, failure, stopped = map(order.index, range(4))
            unseen = stopped < failure and max(created, stopped, failure) != created
            assert loop.verdicts()[f"{job_id}-r0"] == ("fail" if unseen else "retry"), order
            assert job.runs[0].confirmed is CONTAINERS
        assert ends[0] == ends[1], order


def test_what_was_kept_for_a_pod_that_is_discarded_is_observed(loop: Loop) -> None:
    loop.tell(failed(), uid="copy")
    loop.handle(loop.event(RunCreated(), gated=True), loop.event(RunCreated(), uid="copy", gated=True))

    assert loop.sent() == ["create j-r0", "start j-u0", "discard copy"]
    assert loop.verdicts() == {"copy": "retry"}
    assert loop.job().state is State.LEASED


@pytest.mark.parametrize("content", [failed(), CRASH, RunPhase.SUCCEEDED, RunStopped(answer=StopAnswer.GONE)])
def test_a_copy_of_a_pod_neither_charges_nor_ends_the_job(loop: Loop, content: Content) -> None:
    begin(loop)
    before = loop.job()
    for number in range(5):
        loop.tell(content, uid=f"copy-{number}", confirmed=CONTAINERS)

    assert loop.job() == before
    assert not {"j-r0"} & loop.verdicts().keys()
    loop.tell(failed())
    assert loop.verdicts()["j-r0"] == "retry"
    with loop.store.read() as connection:
        found = timeline.find(connection, "j")
    assert found is not None
    assert [(run.run_id, len(run.failures)) for run in found.runs] == [("j-r0", 1)]


def test_an_early_copy_is_observed_once_the_run_records_another_pod(loop: Loop) -> None:
    loop.tell(failed(), uid="copy")
    assert loop.verdicts() == {}

    loop.tell(RunCreated(), gated=True)

    assert loop.verdicts() == {"copy": "retry"}
    assert (loop.job().state, loop.job().runs[0].uid) == (State.LEASED, "j-u0")


def test_an_early_copy_is_observed_once_the_run_is_rejected(loop: Loop) -> None:
    loop.tell(failed(), uid="copy")
    loop.tell(QUOTA, None)

    assert loop.verdicts() == {"copy": "retry"}


def test_a_copy_of_a_closed_run_is_observed(loop: Loop) -> None:
    loop.tell(QUOTA, None)
    loop.tell(failed(), uid="copy")

    assert loop.verdicts() == {"copy": "retry"}
    assert loop.job().rejections == 1


def test_a_pod_that_only_names_the_job_is_observed(loop: Loop) -> None:
    begin(loop)
    loop.tell(failed(), uid="copy", run_id="some-run")

    assert loop.verdicts() == {"copy": "retry"}


def test_a_pod_of_an_unknown_job_is_discarded_only_behind_our_gate(loop: Loop) -> None:
    loop.tell(RunCreated(), job_id="unknown", gated=False)
    assert loop.sent()[1:] == []

    loop.tell(RunCreated(), job_id="unknown", gated=True)
    assert loop.sent()[1:] == ["discard unknown-u0"]


def test_a_copy_without_our_gate_is_never_recorded(loop: Loop) -> None:
    loop.tell(RunCreated(), uid="copy", gated=False)
    loop.tell(RunCreated(), gated=True)

    assert loop.job().runs[0].uid == "j-u0"
    assert loop.sent() == ["create j-r0", "start j-u0"]


def test_a_pod_of_a_closed_run_is_discarded(loop: Loop) -> None:
    loop.tell(QUOTA, None)
    loop.tell(RunCreated(), gated=True)

    assert loop.sent() == ["create j-r0", "discard j-u0"]


def test_a_pod_that_went_behind_our_gate_and_is_no_runs_has_not_failed(loop: Loop) -> None:
    """It was discarded. A replica of the agent that was dead meanwhile reports that it is gone."""
    missing = failed(Occurrence.MISSING, containers=[])
    loop.tell(missing, uid="early", gated=True)
    loop.tell(QUOTA, None)
    loop.tell(RunCreated(), gated=True)
    loop.tell(missing, gated=True)

    assert loop.sent() == ["create j-r0", "discard j-u0"]
    assert (loop.verdicts(), failures(loop)) == ({}, [])


def test_a_rejection_waits_longer_each_time_and_counts_nothing(loop: Loop) -> None:
    waits = []
    for number in range(3):
        loop.tell(QUOTA, None, run_id=f"j-r{number}")
        following = loop.job().next
        assert following is not None
        assert following.not_before is not None
        waits.append((following.not_before - loop.now).total_seconds())
        loop.now = following.not_before
        loop.lease(number + 1)

    assert waits == sorted(set(waits))
    assert [(run.index, run.attempt) for run in loop.job().runs] == [(0, 0)] * 4
    assert (loop.verdicts(), failures(loop)) == ({}, [])


def test_a_rejection_says_why(loop: Loop) -> None:
    loop.tell(QUOTA, None)

    following = loop.job().next
    assert following is not None
    assert following.rejected == "Forbidden: exceeded quota"


def test_a_refused_pod_is_a_failure(loop: Loop) -> None:
    event = loop.tell(DENIED, None)
    loop.handle(event)

    assert (loop.job().state, loop.verdicts()) == (State.FAILED, {"j-r0": "fail"})
    with loop.store.read() as connection:
        found = timeline.find(connection, "j")
    assert found is not None
    (failure,) = found.runs[0].failures
    assert failure.failure.classification.subcategory == "job-creation-failed"


def test_a_refused_pod_may_be_retried(file_store: Store) -> None:
    policy = {"name": "ml", "rules": [{"retryLimit": 1, "onCategory": "internal"}]}
    loop = Loop(file_store, inputs=decision_inputs(policy))
    loop.submit()
    loop.lease()
    loop.tell(DENIED, None)
    assert loop.job().state is State.RETRY_WAITING

    loop.lease(1)
    loop.tell(DENIED, None, run_id="j-r1")
    assert loop.verdicts() == {"j-r0": "retry", "j-r1": "fail"}


@pytest.mark.parametrize("answer", [QUOTA, DENIED, NameHeld(uid="other")], ids=lambda one: type(one).__name__)
def test_a_create_that_fails_after_another_one_made_the_pod_changes_nothing(loop: Loop, answer: Content) -> None:
    begin(loop)
    before = loop.job()
    loop.tell(answer, None)

    assert (loop.job().runs[0].closed, loop.job().state) == (None, before.state)
    assert failures(loop) == []


def test_an_answer_of_another_cluster_changes_nothing(loop: Loop) -> None:
    before = loop.job()
    for answer in (QUOTA, DENIED, NameHeld(uid="other")):
        loop.tell(answer, None, cluster_id="id-west")

    assert (loop.job(), failures(loop)) == (before, [])


def test_a_pod_in_another_cluster_is_discarded_there(loop: Loop) -> None:
    with loop.store.write() as connection:
        clusters.record(connection, heartbeat("west"), received_at=loop.now)
    loop.tell(RunCreated(), gated=True, cluster_id="id-west", cluster="west")

    assert loop.sent() == ["create j-r0", "discard j-u0"]
    assert loop.job().runs[0].uid is None


def test_a_name_that_is_held_is_remembered(loop: Loop) -> None:
    loop.tell(NameHeld(uid="earlier"), None)

    held = loop.job().runs[0].name_held
    assert held is not None
    assert held.uid == "earlier"


@pytest.mark.parametrize("answer", [StopAnswer.GONE, StopAnswer.NEVER_STARTED, StopAnswer.FAILED_BEFORE])
def test_the_pod_of_an_open_run_that_is_gone_is_a_failure(loop: Loop, answer: StopAnswer) -> None:
    loop.tell(RunCreated(), gated=True)
    event = loop.tell(RunStopped(answer=answer), confirmed=Confirmation.NEVER_BOUND)
    loop.handle(event)

    assert loop.verdicts() == {"j-r0": "fail"}
    assert loop.job().state is State.FAILED
    assert [event_id for event_id, *_ in failures(loop)] == [event.event_id]


def test_a_pod_that_was_deleted_behind_our_gate_never_ran(loop: Loop) -> None:
    loop.tell(RunCreated(), gated=True)
    deleted = failed(Occurrence.DELETED_EXTERNALLY, containers=[])
    loop.tell(deleted, gated=True, confirmed=Confirmation.NEVER_BOUND)

    assert loop.job().runs[0].confirmed is Confirmation.NEVER_BOUND
    assert loop.sent() == ["create j-r0", "start j-u0"]


def test_a_pod_that_vanished_behind_our_gate_may_live(loop: Loop) -> None:
    loop.tell(RunCreated(), gated=True)
    loop.tell(failed(Occurrence.MISSING, containers=[]), gated=True)

    assert (loop.job().runs[0].confirmed, loop.sent()[-1]) == (None, "stop j-u0")


@pytest.mark.parametrize(
    "content", [failed(Occurrence.CONTAINER_RESTARTED), Amendment(amends="x", failure=failed())], ids=["in-run", "late"]
)
def test_evidence_is_stored_and_decides_nothing(loop: Loop, content: Content) -> None:
    begin(loop)
    event = loop.tell(content)

    assert failures(loop) == [(event.event_id, "j-r0", "ml")]
    assert (loop.job().state, loop.verdicts()) == (State.RUNNING, {})


def test_the_second_failure_of_a_run_is_evidence_that_may_confirm(loop: Loop) -> None:
    begin(loop)
    loop.tell(failed(Occurrence.NEVER_STARTED, containers=[]))
    assert loop.job().runs[0].confirmed is None
    loop.tell(failed(), confirmed=CONTAINERS)

    assert loop.job().runs[0].confirmed is CONTAINERS
    assert (len(failures(loop)), len(loop.verdicts())) == (2, 1)


def test_a_success_before_the_next_run_ends_the_job_and_counts_no_retry(loop: Loop) -> None:
    begin(loop)
    loop.tell(failed(Occurrence.MISSING, containers=[{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]))
    loop.tell(RunPhase.SUCCEEDED, confirmed=CONTAINERS)
    job = loop.job()
    assert (job.state, job.runs[0].grant_returned) == (State.SUCCEEDED, True)

    loop.take(Retry(again=True))
    for number in range(1, 5):
        loop.lease(number)
        begin(loop, number)
        loop.tell(failed(), number, confirmed=CONTAINERS)
    assert list(loop.verdicts().values()) == ["retry"] * 4 + ["fail"]


def test_a_success_told_after_a_lease_ends_the_job_if_the_leased_run_is_rejected(loop: Loop) -> None:
    begin(loop)
    loop.tell(failed(), confirmed=CONTAINERS)
    loop.lease(1)
    loop.tell(RunPhase.SUCCEEDED, confirmed=CONTAINERS)
    assert loop.job().state is State.LEASED

    loop.tell(QUOTA, None, run_id="j-r1")
    job = loop.job()
    assert (job.state, job.runs[0].grant_returned, loop.verdicts()) == (State.SUCCEEDED, True, {"j-r0": "retry"})


def test_limits_count_the_runs_of_the_job(loop: Loop) -> None:
    for number in range(4):
        if number:
            loop.lease(number)
        begin(loop, number)
        loop.tell(failed(), number, confirmed=CONTAINERS)

    assert loop.verdicts() == {"j-r0": "retry", "j-r1": "retry", "j-r2": "retry", "j-r3": "fail"}
    assert loop.job().state is State.FAILED


def test_never_retry_turns_a_retry_into_a_fail(loop: Loop) -> None:
    begin(loop)
    loop.take(NeverRetry())
    loop.tell(failed(), confirmed=CONTAINERS)

    job = loop.job()
    assert job.ending is not None
    assert (job.state, job.ending.by) == (State.FAILED, EndedBy.VERDICT)
    with loop.store.read() as connection:
        found = timeline.find(connection, "j")
    assert found is not None
    assert found.runs[0].verdict is not None
    assert found.runs[0].verdict.verdict.reason == "never-retry"


def test_a_job_that_asks_to_fail_fast_is_never_retried(loop: Loop) -> None:
    pod = b'{"metadata": {"annotations": {"armadaproject.io/failFast": "true"}}, "spec": {"containers": []}}'
    loop.submit("k", pod=pod)
    loop.lease(0, "k")
    loop.tell(RunCreated(), 0, "k", gated=True)
    loop.tell(failed(), 0, "k", confirmed=CONTAINERS)

    assert loop.job("k").state is State.FAILED
    with loop.store.read() as connection:
        found = timeline.find(connection, "k")
    assert found is not None
    assert found.runs[0].verdict is not None
    assert found.runs[0].verdict.verdict.reason == "fail-fast"


def test_what_was_cancelled_gets_no_verdict(loop: Loop) -> None:
    begin(loop)
    loop.take(Cancel())
    loop.tell(failed(), confirmed=CONTAINERS)

    assert (loop.job().state, loop.verdicts(), len(failures(loop))) == (State.CANCELLED, {}, 1)


def test_more_memory_is_measured_from_the_spec(file_store: Store) -> None:
    rule = {"retryLimit": 3, "onConditions": ["OOMKilled"], "memory": {"factor": 2.0}}
    loop = Loop(file_store, inputs=decision_inputs({"name": "ml", "rules": [rule]}))
    loop.submit()
    loop.lease()
    begin(loop)
    loop.tell(failed())

    with loop.store.read() as connection:
        found = timeline.find(connection, "j")
    assert found is not None
    assert found.runs[0].verdict is not None
    mutation = found.runs[0].verdict.verdict.mutation
    assert mutation is not None
    assert mutation.after == (ContainerMemory(name="main", limit=2 << 30),)


def test_under_timer_a_job_that_failed_stops_until_its_grace_is_over(file_store: Store) -> None:
    loop = Loop(file_store)
    loop.submit()
    loop.lease(terms=TIMER)
    begin(loop)
    loop.tell(CRASH)

    assert loop.job().state is State.STOPPING


def test_jobs_of_one_batch_do_not_count_for_each_other(file_store: Store) -> None:
    loop = Loop(file_store)
    jobs = [f"j{number}" for number in range(6)]
    for job_id in jobs:
        loop.submit(job_id)
        loop.lease(job_id=job_id)
    loop.handle(*(loop.event(RunCreated(), job_id=job_id, gated=True) for job_id in jobs))
    loop.handle(*(loop.event(failed(), job_id=job_id) for job_id in jobs))

    assert loop.verdicts() == {f"{job_id}-r0": "retry" for job_id in jobs}


def test_each_database_tells_the_same_story(store: Store) -> None:
    """Early events, a rejection, a retry, a copy, a refused pod: every table is read and written."""
    loop = Loop(store)
    loop.submit()
    loop.lease()
    loop.tell(QUOTA, None)
    loop.wait(600)
    loop.lease(1)
    loop.tell(failed(), 1, confirmed=CONTAINERS)
    loop.handle(loop.event(RunCreated(), 1, gated=True), loop.event(RunCreated(), uid="copy", gated=True))
    loop.tell(failed(), uid="copy")
    loop.lease(2)
    loop.tell(DENIED, None, run_id="j-r2")

    assert loop.sent() == ["create j-r0", "create j-r1", "start j-u1", "discard copy", "create j-r2"]
    assert loop.verdicts() == {"j-r1": "retry", "copy": "retry", "j-r2": "fail"}
    assert loop.job().state is State.FAILED


def test_events_whose_labels_name_another_job_lock_the_right_one(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch is begun again with the scope of the job whose pod it is about."""
    loop.submit("k")
    loop.lease(job_id="k")
    begin(loop)
    locked: list[Sequence[str]] = []
    decide = loop.store.decide

    def noting(scopes: Sequence[str]) -> object:
        locked.append(sorted(scopes))
        return decide(scopes)

    monkeypatch.setattr(loop.store, "decide", noting)
    loop.tell(failed(), job_id="k", uid="j-u0")

    assert locked == [["k"], ["j", "k"]]
    assert loop.verdicts() == {"j-r0": "retry"}
