"""What a step of a job leaves in the store, on each database."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from agent.core.evidence import ContainerMemory
from agent.core.heartbeat import Heartbeat, RunOffer
from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Step
from agent.core.lifecycle.inputs import Cancel, Input, Leased, RunCreated, TimePassed
from agent.core.lifecycle.run import GracefulShutdown, LostCluster
from agent.core.lifecycle.state import State
from agent.core.run_command import CommandContent, CreateRun, DiscardRun, StartRun, StopRun
from agent.core.run_event import PodReference
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.commands import Discarded
from agent.scheduler.effects.write import discard, write
from agent.store import clusters, outbox
from agent.store.store import Store
from agent.store.submitted import held, lookup
from agent.wire import commands as wire
from tests.core.lifecycle.made import CONFIRMED, T0
from tests.store.submitted.made import new_job, submit

POD = json.dumps({"metadata": {"labels": {"team": "a"}}, "spec": {"containers": [{"name": "main"}]}}).encode()
LEASED = Leased(run_id="r0", cluster="id-east", terms=CONFIRMED)
CREATED = RunCreated(run_id="r0", cluster="id-east", uid="u0")
MORE = (ContainerMemory(name="main", limit=2 << 30),)


@pytest.fixture(autouse=True)
def job(store: Store) -> None:
    """A job that waits, and a cluster."""
    beat = Heartbeat(
        cluster_id="id-east",
        cluster="east",
        epoch=1,
        incarnation="i",
        spool_id="s",
        last_spooled=0,
        last_acknowledged=0,
        runs=RunOffer(namespaces=("jobs",), max_runs=4),
    )
    with store.write() as connection:
        submit(connection, new_job("j", pod=POD))
        clusters.record(connection, beat, received_at=T0)


def take(connection: Connection, *inputs: Input, **given: Any) -> None:
    """Take steps of the job in one transaction."""
    advanced = Advanced.of(held.load(connection, ["j"])["j"])
    for taken in inputs:
        step = advance(advanced.job, taken, T0)
        assert isinstance(step, Step)
        advanced = advanced.by(step)
    write(connection, [replace(advanced, **given)], now=T0)


def sent(connection: Connection, topic: str = "run-commands-east") -> list[CommandContent]:
    """The commands of all transactions, in the order in which they are published."""
    outbox.begin(connection, topic, "s")
    outbox.number(connection, topic, at_most=100)
    rows = outbox.numbered(connection, topic, after=0, at_most=100)
    assert {row.key for row in rows} <= {"j"}
    return [wire.decode(row.payload).command for row in rows]


def test_a_lease_opens_a_run_and_sends_its_pod(store: Store) -> None:
    with store.decide(["j"]) as connection:
        take(connection, LEASED)

    with store.write() as connection:
        assert held.load(connection, ["j"])["j"].job.state is State.LEASED
        assert lookup.open_runs(connection) == {"id-east": 1}
        assert sent(connection) == [
            CreateRun(
                queue="ml",
                job_set="set",
                namespace="jobs",
                pod_name="armada-j-0",
                index=0,
                pod=POD,
                lost_cluster=LostCluster.WAIT,
                graceful_shutdown=GracefulShutdown.CONFIRMED,
                grace=timedelta(seconds=30),
            )
        ]


def test_a_run_with_more_memory_gets_it_in_every_create(store: Store) -> None:
    with store.decide(["j"]) as connection:
        take(connection, LEASED, memory={"r0": MORE})
    with store.decide(["j"]) as connection:
        loaded = held.load(connection, ["j"])["j"]
        step = advance(loaded.job, TimePassed(), T0 + timedelta(hours=1))
        assert isinstance(step, Step)
        write(connection, [Advanced.of(loaded).by(step)], now=T0)

    with store.write() as connection:
        pods = [json.loads(command.pod) for command in sent(connection) if isinstance(command, CreateRun)]
    assert len(pods) == 2
    assert [pod["spec"]["containers"][0]["resources"] for pod in pods] == [{"limits": {"memory": "2Gi"}}] * 2


def test_a_start_names_the_pod_as_its_event_does(store: Store) -> None:
    pod = PodReference(namespace="jobs", name="other-prefix-0", uid="u0")
    with store.decide(["j"]) as connection:
        take(connection, LEASED)
    with store.decide(["j"]) as connection:
        take(connection, CREATED, pods={"u0": pod})

    with store.write() as connection:
        assert sent(connection)[1:] == [StartRun(pod)]


def test_a_stop_names_the_pod_as_an_earlier_event_did(store: Store) -> None:
    with store.decide(["j"]) as connection:
        take(connection, LEASED, replace(CREATED, pod_name="pod-r0"))
    with store.decide(["j"]) as connection:
        take(connection, Cancel())

    with store.write() as connection:
        assert sent(connection)[2:] == [StopRun(PodReference(namespace="jobs", name="pod-r0", uid="u0"))]
        assert held.load(connection, ["j"])["j"].job.state is State.STOPPING


def test_a_pod_that_no_event_named_is_named_as_it_was_created(store: Store) -> None:
    with store.decide(["j"]) as connection:
        take(connection, LEASED, CREATED)

    with store.write() as connection:
        assert sent(connection)[1:] == [StartRun(PodReference(namespace="jobs", name="armada-j-0", uid="u0"))]


def test_a_copy_is_discarded_by_its_own_name(store: Store) -> None:
    copy = PodReference(namespace="jobs", name="copy", uid="u9")
    with store.decide(["j"]) as connection:
        take(connection, LEASED, CREATED, replace(CREATED, uid="u9"), pods={"u9": copy})

    with store.write() as connection:
        assert sent(connection)[2:] == [DiscardRun(copy)]


def test_a_pod_of_an_unknown_job_is_discarded(store: Store) -> None:
    pod = PodReference(namespace="jobs", name="p", uid="u")
    with store.write() as connection:
        discard(
            connection,
            [Discarded(cluster_id="id-east", cluster="east", job_id="j", run_id="r", pod=pod)],
            now=T0,
        )
        assert sent(connection) == [DiscardRun(pod)]


def test_a_job_to_which_nothing_happened_is_not_written(store: Store) -> None:
    with store.decide(["j"]) as connection:
        take(connection)
        assert [due.job_id for due in lookup.due(connection, T0, at_most=9)] == ["j"]
        assert sent(connection) == []
