"""A person vouches that a pod no longer lives: what it does, what is refused with which words, and that it repeats."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.waits import ForCluster, ForStop, why_it_waits
from agent.core.run_event import Confirmation, RunPhase
from agent.scheduler.schedule.terms import PassTerms
from agent.scheduler.service.confirming import ConfirmResult, StopConfirmations
from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.rights import Denied, Everybody
from agent.scheduler.service.waiting import Waiting
from agent.settings.scheduler import RunSettings
from agent.store import clusters, jobs, runs
from agent.store.runs import ReceivedEvent
from agent.store.store import Store
from agent.store.submitted import held, lookup, requests
from tests.core.lifecycle.made import T0
from tests.scheduler.following import asked_for
from tests.scheduler.path import decision_inputs
from tests.store.events import event
from tests.store.submitted.made import played
from tests.store.test_clusters import EAST

NOW = T0 + timedelta(seconds=100)
TERMS = PassTerms(inputs=decision_inputs(), runs=RunSettings())
RUNNING = ("0 leased r0 confirmed", "1 created r0 u0", "2 running u0")
WAITING = (*RUNNING, "3 failed u0 retry", "4 stopped u0 gone")


@pytest.fixture
def asked(store: Store) -> StopConfirmations:
    with store.write() as connection:
        clusters.record(connection, replace(EAST, cluster_id="east", cluster="east"), received_at=T0)
    return StopConfirmations(store, rights=Everybody(), clock=lambda _: NOW, waiting=Waiting(lambda: TERMS))


def job(store: Store, *lines: str, job_id: str = "j") -> None:
    with store.write() as connection:
        played(connection, job_id, lines)


def now(store: Store, job_id: str = "j") -> SubmittedJob:
    with store.read() as connection:
        return held.load(connection, [job_id])[job_id].job


def told(store: Store) -> list[tuple[str, str, str, str]]:
    """The requests that are recorded, each of which has a job event."""
    with store.read() as connection:
        kept = [(one.kind.value, one.by, one.reason, one.outcome) for one in requests.of_job(connection, "j")]
    assert asked_for(store) == kept
    return kept


def confirm(asked: StopConfirmations, name: str = "r0", *, dry_run: bool = False) -> ConfirmResult:
    return asked.confirm([name], who="ann", reason="n1 was scrapped", dry_run=dry_run)[0]


@pytest.mark.parametrize("name", ["r0", "u0"])
def test_the_next_run_may_be_leased_when_a_person_vouches_for_the_stop(
    store: Store, asked: StopConfirmations, name: str
) -> None:
    job(store, *WAITING)
    assert isinstance(why_it_waits(now(store), NOW, retries_stopped=False), ForStop)

    result = confirm(asked, name)

    assert (result.outcome, result.run_id, result.job_id, result.state) == ("done", "r0", "j", "retry-waiting")
    assert result.pod == "pod jobs/armada-j-0 on n1 in cluster east"
    assert now(store).runs[0].confirmed is Confirmation.PERSON
    assert isinstance(why_it_waits(now(store), NOW, retries_stopped=False), ForCluster)
    with store.read() as connection:
        assert [due.job_id for due in lookup.due(connection, NOW, at_most=10)] == ["j"]
    assert told(store) == [("confirm-stopped", "ann", "run 1: n1 was scrapped", "")]


def test_a_job_that_only_waited_to_stop_ends(store: Store, asked: StopConfirmations) -> None:
    job(store, *RUNNING, "3 cancel")

    assert confirm(asked).state == "cancelled"


def test_a_repeat_and_what_was_proven_before_change_nothing(store: Store, asked: StopConfirmations) -> None:
    job(store, *WAITING)
    job(store, "0 leased r1 confirmed", "1 created r1 u1", "2 failed u1 retry confirmed", job_id="k")

    results = asked.confirm(["r0", "u0", "r1"], who="ann", reason="")

    assert [one.outcome.value for one in results] == ["done", "unchanged", "unchanged"]
    assert now(store, "k").runs[0].confirmed is Confirmation.CONTAINERS
    assert told(store) == [("confirm-stopped", "ann", "run 1", "")]


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(store: Store, asked: StopConfirmations) -> None:
    job(store, *WAITING)

    assert confirm(asked, dry_run=True).outcome == "done"
    assert now(store).runs[0].confirmed is None
    assert told(store) == []


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (RUNNING, "run 1 is running: cancel its job first: failctl cancel j; failctl retry j reopens it"),
        (RUNNING[:1], "run 1 is leased: cancel its job first: failctl cancel j; failctl retry j reopens it"),
        ((*RUNNING[:1], "1 cancel"), "run 1 has no pod, so there is nothing to confirm"),
        ((*RUNNING[:1], "1 rejected r0"), "run 1 has no pod, so there is nothing to confirm"),
    ],
)
def test_what_cannot_be_confirmed_says_why_and_is_recorded(
    store: Store, asked: StopConfirmations, lines: tuple[str, ...], message: str
) -> None:
    job(store, *lines)
    before = now(store)

    result = confirm(asked)

    assert (result.outcome, result.message) == ("refused", message)
    assert now(store) == before
    assert told(store) == [("confirm-stopped", "ann", "run 1: n1 was scrapped", message)]


def test_pods_that_no_submitted_job_has_are_refused(store: Store, asked: StopConfirmations) -> None:
    seen = event("e1", RunPhase.RUNNING)
    with store.write() as connection:
        recorded = runs.record(connection, [ReceivedEvent(event=seen)])
        jobs.record(connection, recorded.rows, began=recorded.began, events=[seen])

    results = asked.confirm(["gone", seen.identity.run_id, seen.pod.uid], who="ann", reason="")

    assert [one.outcome.value for one in results] == ["not-found", "refused", "refused"]
    assert results[0].message == "no submitted job has a run gone, or a pod of this uid"
    assert "its pod is only observed" in results[1].message


def test_a_uid_of_two_clusters_names_no_run(store: Store, asked: StopConfirmations) -> None:
    job(store, *WAITING)
    copy = ("0 leased r1 confirmed in-west", "1 created r1 u0 in-west", "2 failed u0 retry in-west")
    job(store, *copy, job_id="k")

    assert confirm(asked, "u0").message == "pods in several clusters have this uid: name the run"
    assert [one.confirmed for job_id in "jk" for one in now(store, job_id).runs] == [None, None]


def test_what_cannot_be_asked_is_refused(asked: StopConfirmations) -> None:
    with pytest.raises(Refused, match="name at least one run") as refused:
        asked.confirm([], who="ann", reason="")

    assert refused.value.why is Why.INVALID


def test_who_may_not_changes_nothing(store: Store) -> None:
    class Nobody:
        def check(self, who: str, permission: str) -> None:
            raise Denied(f"{who} may not {permission}")

    job(store, *WAITING)
    denied = StopConfirmations(store, rights=Nobody(), clock=lambda _: NOW, waiting=Waiting(lambda: TERMS))

    with pytest.raises(Denied, match="ann may not confirm_stopped_runs"):
        confirm(denied)
    assert now(store).runs[0].confirmed is None
