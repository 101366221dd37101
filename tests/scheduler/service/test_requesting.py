"""What people ask of submitted jobs: what it does, what is refused with which words, and that repeating is safe."""

import dataclasses
from dataclasses import astuple
from datetime import timedelta
from functools import partial

import pytest
from msgspec.structs import replace
from sqlalchemy import update

from agent.core.heartbeat import RunOffer
from agent.core.lifecycle.job import SubmittedJob
from agent.core.run_command import StopRun
from agent.core.run_event import RunPhase
from agent.scheduler.schedule.terms import PassTerms
from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.requesting import MOST_JOBS, MOST_REASON, JobRequests, RequestResult
from agent.scheduler.service.rights import Everybody
from agent.scheduler.service.waiting import Waiting
from agent.settings.scheduler import RunSettings
from agent.store import clusters, jobs, outbox, resources, runs
from agent.store.resources import Change, NewVersion
from agent.store.runs import ReceivedEvent
from agent.store.store import Store
from agent.store.submitted import held, requests
from agent.store.tables.clusters import table as cluster_table
from agent.wire.commands import decode
from tests.core.lifecycle.made import T0
from tests.scheduler.following import asked_for
from tests.scheduler.path import decision_inputs
from tests.store.events import event
from tests.store.submitted.made import played
from tests.store.test_clusters import EAST

NOW = T0 + timedelta(seconds=100)
RUNNING = ("0 leased r0 confirmed", "1 created r0 u0", "2 running u0")
QUEUE = NewVersion(kind="Queue", name="ml", uid="u", text="", change=Change.CREATED, at=T0, by="ann")
WAITING = (*RUNNING, "3 failed u0 retry")
TERMS = PassTerms(inputs=decision_inputs(), runs=RunSettings())
SILENT = ", which is silent: no heartbeat for 1 h, since 2026-11-25 23:01:40 UTC"
STOP = "has waited 1 min for the stop of pod jobs/armada-j-0 on n1 in cluster east"


@pytest.fixture
def asked(store: Store) -> JobRequests:
    with store.write() as connection:
        clusters.record(connection, replace(EAST, cluster_id="east", cluster="east"), received_at=T0)
        resources.write(connection, QUEUE)
    return JobRequests(store, rights=Everybody(), clock=lambda _: NOW, waiting=Waiting(lambda: TERMS))


def job(store: Store, *lines: str) -> None:
    with store.write() as connection:
        played(connection, "j", lines)


def now(store: Store) -> SubmittedJob:
    with store.read() as connection:
        return held.load(connection, ["j"])["j"].job


def told(store: Store) -> list[tuple[str, str, str, str]]:
    """The requests that are recorded, each of which has a job event."""
    with store.read() as connection:
        kept = [(one.kind.value, one.by, one.reason, one.outcome) for one in requests.of_job(connection, "j")]
    assert asked_for(store) == kept
    return kept


def cancel(asked: JobRequests, reason: str = "a mistake") -> RequestResult:
    return asked.cancel(["j"], who="ann", reason=reason)[0]


def retry(asked: JobRequests, *, again: bool = False) -> RequestResult:
    return asked.retry(["j"], again=again, who="ann", reason="")[0]


def never_retry(asked: JobRequests) -> RequestResult:
    return asked.never_retry(["j"], who="ann", reason="")[0]


def test_cancelling_a_queued_job_ends_it_once(store: Store, asked: JobRequests) -> None:
    job(store)

    first, second = cancel(asked), cancel(asked, "again")

    assert (first.outcome, first.state, second.outcome, second.state) == ("done", "cancelled", "unchanged", "cancelled")
    assert told(store) == [("cancel", "ann", "a mistake", "")]


def test_cancelling_a_running_job_stops_its_pod_and_says_what_it_waits_for(store: Store, asked: JobRequests) -> None:
    job(store, *RUNNING)

    result = cancel(asked)

    assert (result.outcome, result.state, result.wait) == ("done", "stopping", STOP.replace("1 min", "0 s"))
    with store.write() as connection:
        outbox.begin(connection, "run-commands-east", "s")
        outbox.number(connection, "run-commands-east", at_most=10)
        (row,) = outbox.numbered(connection, "run-commands-east", after=0, at_most=10)
    stop = decode(row.payload).command
    assert isinstance(stop, StopRun)
    assert (stop.pod.namespace, stop.pod.name, stop.pod.uid) == ("jobs", "armada-j-0", "u0")


def test_a_job_that_failed_is_not_cancelled(store: Store, asked: JobRequests) -> None:
    job(store, *RUNNING, "3 failed u0 fail confirmed")

    result = cancel(asked)

    assert (result.outcome, result.state) == ("refused", "failed")
    assert result.message == "it has ended: failed, by verdict"
    assert told(store) == [("cancel", "ann", "a mistake", result.message)]


def test_retrying_a_waiting_job_waits_for_the_stop_only(store: Store, asked: JobRequests) -> None:
    job(store, *WAITING)

    first, second = retry(asked), retry(asked)

    assert astuple(first) == ("j", "done", "retry-waiting", "", STOP)
    assert (second.outcome, second.wait) == ("unchanged", STOP)
    following = now(store).next
    assert following is not None
    assert (following.granted, following.attempt, following.not_before) == (True, 1, None)


def test_retrying_a_failed_job_reopens_it_and_lifts_never_retry(store: Store, asked: JobRequests) -> None:
    job(store, *RUNNING, "3 never-retry", "4 failed u0 fail confirmed")

    result = retry(asked)

    assert (result.outcome, result.state) == ("done", "retry-waiting")
    assert (now(store).never_retry, now(store).opening) == (False, 1)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (RUNNING, "run 1 is running, so there is nothing to retry yet"),
        ((), "its first run has not begun, so there is nothing to retry"),
        ((*RUNNING, "3 succeeded u0 confirmed"), "it succeeded; --again runs it again"),
    ],
)
def test_what_cannot_be_retried_says_why(
    store: Store, asked: JobRequests, lines: tuple[str, ...], message: str
) -> None:
    job(store, *lines)

    result = retry(asked)

    assert (result.outcome, result.message) == ("refused", message)


def test_a_success_is_run_again_if_that_is_what_is_asked(store: Store, asked: JobRequests) -> None:
    job(store, *RUNNING, "3 succeeded u0 confirmed")

    assert retry(asked, again=True).state == "retry-waiting"


def test_a_job_whose_queue_was_deleted_is_not_reopened(store: Store, asked: JobRequests) -> None:
    job(store)
    cancel(asked)
    with store.write() as connection:
        resources.write(connection, dataclasses.replace(QUEUE, text=None, change=Change.DELETED))

    result = retry(asked)

    assert (result.outcome, result.state) == ("refused", "cancelled")
    assert result.message == "its queue ml does not exist any more; create it: failctl create queue ml"


@pytest.mark.parametrize(
    ("lines", "offer", "words"),
    [
        ((), None, "no cluster offers runs"),
        ((), RunOffer(namespaces=("other",), max_runs=5), "no cluster offers runs in namespace jobs"),
        ((), RunOffer(namespaces=("jobs",), max_runs=0), "all are full: east 0/0"),
        ((), RunOffer(namespaces=("jobs",), max_runs=5), "cluster east is about to take its run"),
        (("0 leased r0 confirmed",), None, "has waited 1 min for the answer of cluster east"),
    ],
)
def test_a_job_says_why_it_waits(
    store: Store, asked: JobRequests, lines: tuple[str, ...], offer: RunOffer | None, words: str
) -> None:
    job(store, *lines)
    with store.write() as connection:
        beat = replace(EAST, cluster_id="east", runs=offer)
        clusters.record(connection, beat, received_at=NOW)

    assert [standing.wait for standing in asked.get(["j"])] == [words]


@pytest.mark.parametrize(
    ("lines", "heard", "words"),
    [
        (RUNNING, 3600, f"waits for cluster east{SILENT}"),
        (("0 leased r0 confirmed",), 3600, f"waits for cluster east{SILENT}"),
        (RUNNING, 3599, ""),
        (WAITING, 3600, f"{STOP}{SILENT}"),
        ((*RUNNING, "3 succeeded u0"), 3600, ""),
    ],
)
def test_a_run_whose_cluster_is_silent_for_longer_than_its_lease_is_waited_for(
    store: Store, asked: JobRequests, lines: tuple[str, ...], heard: int, words: str
) -> None:
    job(store, *lines)
    with store.write() as connection:
        connection.execute(update(cluster_table).values(received_at=NOW - timedelta(seconds=heard)))

    assert [standing.wait for standing in asked.get(["j"])] == [words]


def test_never_retry_ends_a_waiting_job_and_is_recorded_once(store: Store, asked: JobRequests) -> None:
    job(store, *WAITING)

    first, second = never_retry(asked), never_retry(asked)

    assert (first.outcome, first.state, first.wait) == ("done", "stopping", STOP)
    assert second.outcome == "unchanged"
    assert told(store) == [("never-retry", "ann", "", "")]


def test_jobs_are_answered_in_the_order_in_which_they_are_named(store: Store, asked: JobRequests) -> None:
    job(store)
    with store.write() as connection:
        seen = event("e1", RunPhase.RUNNING)
        recorded = runs.record(connection, [ReceivedEvent(event=seen)])
        jobs.record(connection, recorded.rows, began=recorded.began, events=[seen])

    results = asked.retry(["gone", "job-1", "j", "gone"], again=False, who="ann", reason="")

    assert [(one.job_id, one.outcome.value) for one in results] == [
        ("gone", "not-found"),
        ("job-1", "refused"),
        ("j", "refused"),
    ]
    assert "its pods are only observed" in results[1].message
    assert [one.held.job.job_id for one in asked.get(["gone", "j"])] == ["j"]


@pytest.mark.parametrize("kind", ["cancel", "retry", "never_retry"])
@pytest.mark.parametrize("lines", [(), RUNNING, WAITING, (*RUNNING, "3 failed u0 fail confirmed")])
def test_a_dry_run_says_what_would_come_of_it_and_changes_nothing(
    store: Store, asked: JobRequests, kind: str, lines: tuple[str, ...]
) -> None:
    job(store, *lines)
    ask = getattr(asked, kind) if kind != "retry" else partial(asked.retry, again=False)
    before, known = now(store), asked_for(store)

    said = ask(["j", "gone"], who="ann", reason="", dry_run=True)

    assert (now(store), asked_for(store), told(store)) == (before, known, [])
    assert ask(["j", "gone"], who="ann", reason="") == said


@pytest.mark.parametrize(
    ("job_ids", "reason"),
    [([], ""), (["a"] * (MOST_JOBS + 1), ""), (["a"], "x" * (MOST_REASON + 1)), (["a\x00"], ""), (["a"], "\x00")],
)
def test_what_cannot_be_asked_is_refused(asked: JobRequests, job_ids: list[str], reason: str) -> None:
    with pytest.raises(Refused) as refused:
        asked.cancel(job_ids, who="ann", reason=reason)

    assert refused.value.why is Why.INVALID
