"""The stage of one round: agents, schedulers, broker, API server and node, alive again after each blow."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import yaml
from sqlalchemy import make_url

from agent.core.lifecycle.state import FINAL, State
from agent.store.store import Store
from tests.chaos.loop import records
from tests.chaos.loop.audit import audit
from tests.chaos.loop.model import end_of
from tests.chaos.loop.outcome import Outcome
from tests.chaos.loop.person import Person
from tests.chaos.loop.plan import Blow, Plan, Victim
from tests.chaos.loop.policy import POLICY
from tests.chaos.loop.replicas import Replicas
from tests.chaos.loop.world import World
from tests.chaos.whole.stage import Site
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real
from tests.scheduler.process import SchedulerProcess
from tests.servers.patience import until

_MOST_RUNS: Final = 60
_READY_SECONDS: Final = 180.0
_WORKING_SECONDS: Final = 240.0
_SETTLED_SECONDS: Final = 600.0
_SERVED: Final = "the API is served"


class Stage:
    """The processes of one round, from entering ``with`` to leaving it. For the main thread."""

    def __init__(self, site: Site, plan: Plan) -> None:
        self._site: Final = site
        self._plan: Final = plan
        self._jobs: Final = plan.scripted()
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._store = stack.enter_context(Store.open(self._site.store_url))
            records.keep_commands(self._site.broker_url)
            self._start_processes(stack)
            self._start_world(stack)
            self.until(lambda: self._agents.are_ready() and self._schedulers.are_ready(), "ready", _READY_SECONDS)
            self._running = stack.pop_all()
        self._began = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()

    def _start_processes(self, stack: ExitStack) -> None:
        agents = [_agent_settings(self._site, number) for number in range(2)]
        scheduler, logs = _scheduler_settings(self._site), self._site.folder
        self._agents = Replicas(
            "agent", lambda number, start: AgentProcess(agents[number], log=logs / f"agent-{number}-{start}.log")
        )
        stack.callback(self._agents.end)
        self._schedulers = Replicas(
            "scheduler",
            lambda number, start: SchedulerProcess(scheduler, log=logs / f"scheduler-{number}-{start}.log"),
        )
        stack.callback(self._schedulers.end)

    def _start_world(self, stack: ExitStack) -> None:
        """Start the nodes and the person, who know each other."""
        namespace, granted = self._site.namespace, set[int]()
        self._world = World(self._site.plane, namespace, self._jobs, granted=granted)
        self.person = Person(self._addresses, namespace=namespace, seen=self._world.seen, granted=granted)
        stack.enter_context(self._world)
        self.person.start()
        stack.callback(self.person.stop)

    def until(self, met: Callable[[], bool], what: str, seconds: float) -> None:
        """Wait while everything lives. Raises TimeoutError, and whatever ended a part."""

        def met_while_all_live() -> bool:
            for part in (self._agents, self._schedulers):
                part.tend()
            self._world.check()
            self.person.check()
            return met()

        until(met_while_all_live, what, seconds=seconds)

    def changes(self) -> int:
        """How far the loop is."""
        return records.count_changes(self._store)

    def strike(self, blow: Blow) -> str:
        """Kill some time after something more was decided, and start it again; what was done, in words.

        Raises TimeoutError where nothing is decided although jobs have not ended.
        """
        before = self.changes()
        self.until(lambda: self.changes() > before or self._is_idle(), "the loop going on", _WORKING_SECONDS)
        time.sleep(blow.after)
        at, found = time.monotonic() - self._began, self.changes()
        for victim in blow.victims:
            self._kill(victim, blow)
        time.sleep(blow.pause)
        self._mend(blow.victims)
        return f"{at:6.1f} s  {' and '.join(blow.victims)} killed, {found} verdicts and endings"

    def settle(self) -> Outcome:
        """Wait until every job has ended and nothing is under way, or as long as that may take; and audit all."""
        overdue = ""
        try:
            self.until(self._is_over, "every job ended and nothing under way", _SETTLED_SECONDS)
        except TimeoutError as error:
            overdue = str(error)
        found = records.read(self._store, broker_url=self._site.broker_url, containers=self._world.containers)
        expected = {self.person.job_ids.get(job.number, f"number {job.number}"): end_of(job) for job in self._jobs}
        findings = audit(found, expected)
        if overdue:
            findings.lost.append(overdue)
        return Outcome(jobs=len(self._jobs), findings=findings, seconds=time.monotonic() - self._began)

    def _is_idle(self) -> bool:
        """Whether all jobs have ended that the person was to submit so far."""
        return self.person.is_done() and all(State(state) in FINAL for state in records.states(self._store).values())

    def _is_over(self) -> bool:
        all_there = len(self.person.job_ids) == len(self._jobs)
        return all_there and self._is_idle() and not self._world.alive() and not self._backlog()

    def _backlog(self) -> int:
        """Messages on their way to somebody."""
        topic, admin = self._site.pulsar.topic, self._site.pulsar.broker.admin
        on_the_way = sum(admin.backlog(topic(name), reader) for name, reader in records.READERS.items())
        return records.waiting(self._store) + on_the_way

    def _addresses(self) -> Sequence[str]:
        lines = [line for process in self._schedulers.running for line in process.logged()]
        return [f"127.0.0.1:{line['port']}" for line in lines if line["event"] == _SERVED]

    def _kill(self, victim: Victim, blow: Blow) -> None:
        match victim:
            case Victim.AGENT:
                self._agents.kill(blow.agent)
            case Victim.FIRST_SCHEDULER:
                self._schedulers.kill(0)
            case Victim.SECOND_SCHEDULER:
                self._schedulers.kill(1)
            case Victim.PULSAR:
                self._site.pulsar.broker.kill()
            case Victim.API_SERVER:
                self._kill_api_server()

    def _kill_api_server(self) -> None:
        """Kill kube-scheduler too: after some deaths of its API server it waits for a minute before it looks again."""
        self._site.plane.kill_api_server()
        self._site.plane.living()["kube-scheduler"].kill()

    def _mend(self, victims: Sequence[Victim]) -> None:
        if Victim.API_SERVER in victims:
            self._site.plane.mend()
        if Victim.PULSAR in victims:
            self._site.pulsar.broker.mend()
        for part in (self._agents, self._schedulers):
            part.mend()


def _agent_settings(site: Site, number: int) -> Path:
    client, kubeconfig = site.plane.client(), site.plane.kubeconfig()
    return Real(client=client, namespace=site.namespace, kubeconfig=kubeconfig, folder=site.folder).settings(
        f"agent-{number}",
        broker={"url": site.broker_url, "pulsar": {"adminUrl": site.pulsar.broker.admin_url}},
        lease={"namespace": site.namespace, "duration": 4, "renew": "1s"},
        run={"namespaces": [site.namespace], "maxRuns": _MOST_RUNS},
        deadlines={"initRunning": _INIT_DEADLINE},
    )


def _scheduler_settings(site: Site) -> Path:
    policy, file = site.folder / "policy.yaml", site.folder / "scheduler.yaml"
    policy.write_text(yaml.safe_dump(POLICY))
    settings: Mapping[str, Any] = {
        "broker": {"url": site.broker_url, "pulsar": {"adminUrl": site.pulsar.broker.admin_url}},
        "store": _store_settings(site),
        "scheduling": {"retryPolicy": {"enabled": True, "defaultPolicyName": "chaos", "defaultBackoff": _BACKOFF}},
        "runs": {"gracefulShutdown": "confirmed", "lostCluster": "wait", "interval": "100ms"},
        "policies": [str(policy)],
        "discover": "100ms",
        "api": {"port": 0},
        "health": {"port": 0},
    }
    file.write_text(yaml.safe_dump(settings))
    return file


_INIT_DEADLINE: Final = "15s"
"""Longer than the API server is down between two reports of a kubelet."""

_BACKOFF: Final = {"initialDelay": "100ms", "maxDelay": "1s", "multiplier": 2.0}


def _store_settings(site: Site) -> Mapping[str, str]:
    address, password = make_url(site.store_url), site.folder / "password"
    password.write_text(address.password or "")
    return {"url": address._replace(password=None).render_as_string(), "passwordFile": str(password)}
