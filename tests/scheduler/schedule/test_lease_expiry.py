"""What happens to the runs of a cluster that is lost."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from agent.broker.port import Unreachable
from agent.core.lifecycle.run import GracefulShutdown, LostCluster
from agent.core.lifecycle.state import State
from agent.core.run_event import RunCreated, RunPhase
from agent.scheduler.schedule.lease_expiry import LeaseExpiry
from agent.settings.scheduler import RunSettings
from agent.store import timeline
from agent.store.store import Store
from tests.broker.breakable import BreakableBroker
from tests.scheduler.runs import CONTAINERS
from tests.scheduler.schedule.test_scheduling_pass import Passes
from tests.store.databases import new_store

RETRIES = {"name": "ml", "defaultAction": "Retry", "retryLimit": 1}
LEASE = 3600 + 30 + 30
"""Seconds: the lease, the skew of clocks, and the grace period of the run."""


class Reachable(BreakableBroker):
    """A broker that answers, or does not."""

    answers = True

    def ping(self) -> None:
        if not self.answers:
            raise Unreachable("nobody there")


class Silent:
    """A run that is leased, and time in which its cluster may be silent."""

    def __init__(self, store: Store, *, lost_cluster: LostCluster = LostCluster.REPLACE) -> None:
        self.passes = Passes(store, RETRIES)
        settings = RunSettings(graceful_shutdown=GracefulShutdown.TIMER, lost_cluster=lost_cluster)
        self.passes.terms = replace(self.passes.terms, runs=settings)
        self.loop = self.passes.loop
        self.broker = Reachable()
        self.seconds = 0.0
        self.expiry = self.lead()

    def lead(self) -> LeaseExpiry:
        return LeaseExpiry(
            self.loop.store,
            self.broker,
            terms=lambda: self.passes.terms,
            clock=lambda _: self.loop.now,
            monotonic=lambda: self.seconds,
        )

    def wait(self, seconds: float) -> None:
        self.seconds += seconds
        self.loop.wait(seconds)
        self.expiry.run(lambda _: None)


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


@pytest.fixture
def silent(file_store: Store) -> Silent:
    """A job whose run is leased to a cluster that says nothing more."""
    made = Silent(file_store)
    made.loop.submit()
    made.passes.run()
    return made


def test_a_run_is_decided_when_its_lease_and_its_grace_are_over(silent: Silent) -> None:
    silent.wait(LEASE - 1)
    assert silent.passes.states("j") == [State.LEASED]

    silent.wait(1)
    silent.wait(1)
    assert (silent.passes.states("j"), silent.loop.verdicts()) == ([State.RETRY_WAITING], {"r0": "retry"})


def test_the_failure_says_what_happened(silent: Silent) -> None:
    silent.passes.begin()
    silent.wait(LEASE)

    with silent.loop.store.read() as connection:
        found = timeline.find(connection, "j")
    assert found is not None
    (run,) = found.runs
    assert [failure.failure.classification.subcategory for failure in run.failures] == ["lease-expired"]
    assert (run.pod_name, run.phase) == ("pod-j-u0", "failed")


def test_its_pod_is_stopped_when_the_cluster_returns(silent: Silent) -> None:
    silent.passes.begin()
    silent.wait(LEASE)

    assert silent.loop.sent()[-1] == "stop j-u0"


def test_what_the_pod_did_meanwhile_is_evidence(silent: Silent) -> None:
    silent.passes.begin()
    silent.wait(LEASE)
    silent.passes.hear()
    silent.passes.run()
    silent.loop.wait(100)
    silent.passes.hear()
    silent.passes.run()
    assert [run.index for run in silent.loop.job().runs] == [0, 1]

    silent.loop.tell(RunPhase.SUCCEEDED, confirmed=CONTAINERS)
    assert silent.passes.states("j") == [State.LEASED]


def test_a_run_that_waits_for_its_cluster_gets_no_verdict(file_store: Store) -> None:
    silent = Silent(file_store, lost_cluster=LostCluster.WAIT)
    silent.loop.submit()
    silent.passes.run()
    silent.wait(10 * LEASE)

    assert (silent.passes.states("j"), silent.loop.verdicts()) == ([State.LEASED], {})


def test_a_heartbeat_begins_the_lease_again(silent: Silent) -> None:
    silent.wait(LEASE - 1)
    silent.passes.hear()
    silent.wait(LEASE - 1)

    assert silent.passes.states("j") == [State.LEASED]


def test_a_new_leader_waits_for_a_whole_lease(silent: Silent) -> None:
    silent.wait(LEASE - 1)
    silent.expiry = silent.lead()
    silent.wait(LEASE - 1)
    assert silent.passes.states("j") == [State.LEASED]

    silent.wait(1)
    assert silent.passes.states("j") == [State.RETRY_WAITING]


def test_nobody_is_silent_while_the_broker_does_not_answer(silent: Silent) -> None:
    silent.wait(LEASE - 1)
    silent.broker.answers = False
    silent.wait(LEASE)
    silent.broker.answers = True
    silent.wait(LEASE - 1)
    assert silent.passes.states("j") == [State.LEASED]


def test_several_clusters_that_fall_silent_at_once_are_left_alone(silent: Silent) -> None:
    silent.passes.hear("west")
    silent.passes.use(RETRIES, clusters=("west",))
    silent.loop.submit("k")
    silent.passes.run()
    with capture_logs() as logged:
        silent.wait(2 * LEASE)
        silent.wait(1)

    assert silent.passes.states("j", "k") == [State.LEASED, State.LEASED]
    assert [line["clusters"] for line in logged if "several" in line["event"]] == [["id-east", "id-west"]]
    silent.passes.hear("west")
    silent.wait(1)
    assert silent.passes.states("j", "k") == [State.RETRY_WAITING, State.LEASED]


def test_limits_count_a_lost_run(silent: Silent) -> None:
    silent.wait(LEASE)
    silent.passes.hear()
    silent.loop.wait(100)
    silent.passes.hear()
    silent.passes.run()
    silent.wait(1)
    silent.wait(2 * LEASE)

    assert silent.loop.verdicts() == {"r0": "retry", "r1": "fail"}
    assert silent.passes.states("j") == [State.FAILED]


def test_a_pod_that_was_never_recorded_is_discarded_when_the_cluster_returns(silent: Silent) -> None:
    silent.wait(LEASE)
    silent.loop.tell(RunCreated(), run_id="r0", gated=True)

    assert silent.loop.sent() == ["create r0", "discard j-u0"]
