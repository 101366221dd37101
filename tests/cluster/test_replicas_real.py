"""Two replicas on a real API server: one leads, the other is warm; one failure in effect whoever dies."""

import signal
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import pytest

from agent.store.store import Store
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real, metrics_of
from tests.scheduler.process import SchedulerProcess
from tests.scheduler.process import write_settings as write_scheduler_settings
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until

pytestmark = pytest.mark.slow

QUICK = {"duration": 4, "renew": "1s"}


@pytest.fixture(name="real")
def a_namespace_and_a_folder(control_plane: ControlPlane, namespace: str, tmp_path: Path) -> Real:
    return Real(
        client=control_plane.client(), namespace=namespace, kubeconfig=control_plane.kubeconfig(), folder=tmp_path
    )


@pytest.fixture(name="started")
def processes_that_end_with_the_test() -> Iterator[list[AgentProcess]]:
    started: list[AgentProcess] = []
    yield started
    for process in started:
        process.kill()


def replica(real: Real, name: str, started: list[AgentProcess], **lease: object) -> AgentProcess:
    process = real.start(real.settings(name, lease={"namespace": real.namespace, **lease}))
    started.append(process)
    return process


def leads(process: AgentProcess) -> bool:
    return metrics_of(process)["failure_agent_leads"] == 1.0


def leader_of(running: Mapping[str, AgentProcess]) -> str:
    """The name of the process that leads, once only one says so."""
    found: list[str] = []

    def is_clear() -> bool:
        found[:] = [name for name, process in running.items() if leads(process)]
        return len(found) == 1

    until(is_clear, "one leads", seconds=60)
    return found[0]


def lease(real: Real) -> dict[str, object]:
    found = real.client.get(f"/apis/coordination.k8s.io/v1/namespaces/{real.namespace}/leases/failure-agent")
    spec: dict[str, object] = found["spec"]
    return spec


def at(written: object) -> datetime:
    return datetime.fromisoformat(str(written))


def test_one_leads_and_the_other_takes_over_what_nobody_published(
    real: Real, started: list[AgentProcess], record_property: Callable[[str, object], None]
) -> None:
    """How long it may take is a law of tests/cluster/leader/test_election.py; how long it took is recorded."""
    first = replica(real, "first", started)
    until(lambda: leads(first), "the first leads")
    second = replica(real, "second", started)
    names = [f"p{number}" for number in range(20)]
    for name in names:
        real.create(name, held=True)
    for name in names[:10]:
        real.fail(name)
    real.until_reported(*names[:10])
    assert not leads(second)
    assert (lease(real)["leaseTransitions"], {each.epoch for each in real.heartbeats()}) == (1, {1})

    first.signal(signal.SIGSTOP)
    dead_since = at(lease(real)["renewTime"])
    for name in names[10:]:
        real.fail(name)
        real.client.delete(f"{real.pods}/{name}")
    real.create("unheld")
    real.fail("unheld")
    until(lambda: metrics_of(second)['failure_agent_reflector_objects{kind="pod"}'] >= len(names), "all seen")
    real.client.delete(f"{real.pods}/unheld", gracePeriodSeconds=0)
    until(lambda: leads(second), "the second leads")
    real.until_reported(*names, "unheld")

    term = lease(real)
    assert term["leaseTransitions"] == 2
    record_property("takeover_seconds", (at(term["acquireTime"]) - dead_since).total_seconds())
    until(lambda: not any(real.is_held(name) for name in names), "every pod released")
    first.signal(signal.SIGCONT)
    until(lambda: not leads(first), "the first knows that it leads no longer")
    until(lambda: {each.epoch for each in real.heartbeats()} == {1, 2}, "heartbeats of the second term")
    assert set(real.reported()) == {*names, "unheld"}
    assert len({event.event_id for event in real.events()}) == len(names) + 1


def test_who_is_asked_to_stop_hands_over_at_once(real: Real, started: list[AgentProcess]) -> None:
    first = replica(real, "first", started)
    until(lambda: leads(first), "the first leads")
    second = replica(real, "second", started)
    real.create("a", held=True)
    real.fail("a")
    first.signal(signal.SIGTERM)
    assert first.wait() == 0

    until(lambda: leads(second), "the second leads", seconds=60)
    real.until_reported("a")
    term = lease(real)
    assert term["holderIdentity"] != ""
    assert term["leaseTransitions"] == 2
    assert len({event.event_id for event in real.events()}) == 1


def test_one_failure_in_effect_through_kills_of_whoever_leads(real: Real, started: list[AgentProcess]) -> None:
    """What is published twice is one failure to the scheduler: event ids say so. A short lease saves waiting."""
    scheduler = SchedulerProcess(write_scheduler_settings(real.folder), log=real.folder / "scheduler.log")
    try:
        names = [f"p{number:03}" for number in range(60)]
        running = {name: replica(real, name, started, **QUICK) for name in ("first", "second")}
        for round_number in range(3):
            leader = leader_of(running)
            for number, name in enumerate(names[round_number * 20 : round_number * 20 + 20]):
                real.create(name, held=True)
                real.fail(name)
                if number == 10:
                    running[leader].kill()
            running[leader] = replica(real, leader, started, **QUICK)
        real.until_reported(*names, seconds=120)
        until(lambda: not any(real.is_held(name) for name in names), "every pod released", seconds=60)
        with Store.open(f"sqlite:///{real.folder}/store.db") as store:
            until(lambda: failures(store) >= len(names), "every failure decided", seconds=60)
            assert failures(store) == len(names)
    finally:
        scheduler.end()


def failures(store: Store) -> int:
    with store.read() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM failure").scalar_one())
