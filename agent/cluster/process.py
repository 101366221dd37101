"""The running agent: which tasks run, what readiness checks, and how it stops without losing anything.

Stopping goes upstream to downstream: the watches end first, then what is in hand is spooled, published and released
within the time the settings allow, then the workers end, then the lease is given back.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

import structlog

from agent.broker.port import Broker, BrokerError
from agent.cluster.actions.workqueue import PodWorkqueue
from agent.cluster.admission.answers import ConditionAnswers
from agent.cluster.admission.server import AdmissionServer
from agent.cluster.config.checks import deadlines_of
from agent.cluster.config.files import Configuration
from agent.cluster.controller import PodController
from agent.cluster.daemonset.failover import NodeFailover
from agent.cluster.leader.elector import Leadership, Term
from agent.cluster.leader.watermark import Watermark
from agent.cluster.publish.heartbeat import Heartbeats
from agent.cluster.publish.publisher import Publishing
from agent.cluster.publish.rule_sets import RuleSetReports
from agent.cluster.rbac import PermissionReview
from agent.cluster.runs.consumer import CommandConsumer
from agent.cluster.spool.writer import Saved, SpoolWriter
from agent.cluster.time_check import TimeCheck
from agent.cluster.watch.informers import Informers
from agent.cluster.watch.tombstones import Tombstones
from agent.core.units import counted
from agent.kube.cluster_id import cluster_id
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Unreachable
from agent.process.log import log_by
from agent.telemetry.check import Check, problem_of

_log = structlog.get_logger(__name__)
_RETRY_SECONDS: Final = 2.0
_STARTING: Final = "the API server has not been reached yet"
_WAITS: Final = "not started: waits for the check cluster"
"""The message of every other check that needs what is not built yet: the cause is named once."""


class Runner(Protocol):
    """A part that runs until it is cancelled."""

    async def run(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSet:
    """What a process watches in its mode.

    ``all_listed`` must be called when every pod of ``informers`` was handed on. ``runners`` run in parallel;
    ``tombstones`` is one of them. ``failover``: what it also watches as the leader, in mode daemonset. ``admission``:
    the webhook, which answers from what is watched; every replica serves it, and none in mode daemonset.
    """

    informers: Informers
    tombstones: Tombstones
    all_listed: Callable[[], None]
    runners: Sequence[Runner]
    failover: NodeFailover | None = None
    admission: AdmissionServer | None = None

    def sees_runs(self) -> bool:
        """Whether every pod that this process must see before it handles commands, as the leader, was handed on."""
        return self.informers.synced and (self.failover is None or self.failover.synced)

    def lists(self) -> int:
        """How many lists of pods were begun so far."""
        return self.informers.lists() + (0 if self.failover is None else self.failover.lists())


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAgent:
    """The parts that run. ``term`` is what only the leader does; ``shutdown`` is how long stopping may take.

    ``runs`` is what takes and answers commands; ``commands`` is one of it, if the cluster takes runs. ``answers``
    decides which conditions failing pods get, if settings ask for that.
    """

    watch_set: WatchSet
    controller: PodController
    writer: SpoolWriter
    queues: Sequence[PodWorkqueue]
    publishing: Publishing
    heartbeats: Heartbeats
    commands: CommandConsumer | None
    runs: Sequence[Runner]
    leadership: Leadership
    term: Term
    watermark: Watermark
    rule_sets: RuleSetReports
    answers: ConditionAnswers | None
    time_check: TimeCheck
    log_readers: int
    shutdown: timedelta

    async def run(self, asked: asyncio.Event) -> None:
        """Run until asked to stop, then drain.

        An exception of any part ends all of them, without draining: the spool is then as after a crash.
        """
        self.publishing.start()
        self.rule_sets.begin()
        try:
            async with asyncio.TaskGroup() as tasks:
                watching = [
                    tasks.create_task(self.watch_set.informers.run(self.watch_set.all_listed), name="watch"),
                    *(tasks.create_task(part.run(), name="watch runner") for part in self.watch_set.runners),
                    *(tasks.create_task(part.run(), name="runs") for part in self.runs),
                ]
                working = [
                    tasks.create_task(self.writer.run(self._saved), name="spool"),
                    tasks.create_task(self.controller.requeue_due(), name="requeue"),
                    tasks.create_task(self.heartbeats.run(), name="heartbeats"),
                    tasks.create_task(self.watermark.run(), name="watermark"),
                    tasks.create_task(self.time_check.run(), name="clock"),
                    tasks.create_task(self.leadership.run(self.term), name="leader"),
                    *(tasks.create_task(queue.run(), name="workqueue") for queue in self.queues),
                    *(
                        tasks.create_task(self.controller.diagnoser.read_logs(), name="logs")
                        for _ in range(self.log_readers)
                    ),
                ]
                await asked.wait()
                await _cancel(watching)  # first, so that nothing new comes in while the rest drains
                await self._drain()
                await _cancel(working)
                await self.term.end()
                await self.leadership.resign()  # last: another may begin only after our term has ended
        finally:
            await self.publishing.stop()

    def use(self, configuration: Configuration) -> None:
        """Use these rules, deadlines and log settings from now on. Call on the event loop."""
        settings, rules = configuration.settings, configuration.rules
        self.controller.use(deadlines_of(settings.deadlines))
        self.controller.diagnoser.use(rules)
        if self.answers is not None:
            self.answers.use(rules)
        self.rule_sets.report(rules)
        if self.watch_set.informers.named is not None:
            self.watch_set.informers.named.use(rules.reasons)
        log_by(settings.log)

    def _saved(self, saved: Saved) -> None:
        self.publishing.wake()
        self.controller.saved(saved)

    async def _drain(self) -> None:
        """If the time runs out, the next process sees what was not spooled and publishes the rest."""
        _log.info("stopping")
        try:
            async with asyncio.timeout(self.shutdown.total_seconds()):
                await self.controller.diagnoser.finish()
                await self.writer.drained()
                await self.publishing.flush()
                for queue in self.queues:
                    await queue.work()
        except TimeoutError:
            _log.warning(
                "shutdown took too long to publish everything; the next process publishes the rest from the spool"
            )
        if self.controller.backlog:
            _log.error(
                "the spool takes nothing, so some pods were not reported; the next process reports those still there",
                pods=len(self.controller.backlog),
            )


class Health:
    """Readiness and liveness, from before the agent is built. Called on the health server's threads."""

    def __init__(self, broker: Broker) -> None:
        self.agent: ClusterAgent | None = None
        self.rights: PermissionReview | None = None
        self._broker = broker
        self._unidentified = _STARTING

    def ready(self) -> dict[str, Check]:
        """Permissions granted, pods listed, clock right, lease readable, spool writable, broker reachable."""
        return {
            "rights": lambda: None if self.rights is None else self.rights.check(),
            "cluster": lambda: self._unidentified if self.agent is None else self.agent.watch_set.informers.check(),
            "clock": self._ask(lambda agent: agent.time_check.check()),
            "lease": self._ask(lambda agent: agent.leadership.check()),
            "spool": self._ask(_ask_spool),
            "broker": self._ask_broker,
            "runs": self._ask(_ask_runs),
            "admission": self._ask(_ask_admission),
        }

    def alive(self) -> dict[str, Check]:
        """What only a restart can fix."""
        return {
            "publisher": lambda: None if self.agent is None else self.agent.publishing.alive(),
            "clock": lambda: None if self.agent is None else self.agent.time_check.alive(),
        }

    async def identify(self, connection: Connection) -> str:
        """The cluster's id, asked for until the API server answers. Raises NoIdentity."""
        while True:
            try:
                return await cluster_id(connection)
            except (ApiError, Unreachable) as error:
                self._unidentified = f"the cluster's id cannot be read from the API server: {error}"
                _log.warning("the cluster's id cannot be read from the API server; will try again", error=str(error))
                await asyncio.sleep(_RETRY_SECONDS)

    def _ask(self, question: Callable[[ClusterAgent], str | None]) -> Check:
        return lambda: _WAITS if self.agent is None else question(self.agent)

    def _ask_broker(self) -> str | None:
        problem = problem_of(self._broker.ping, BrokerError)
        return problem if problem is not None or self.agent is None else self.agent.publishing.check()


def _ask_runs(agent: ClusterAgent) -> str | None:
    return None if agent.commands is None else agent.commands.check()


def _ask_admission(agent: ClusterAgent) -> str | None:
    return None if agent.watch_set.admission is None else agent.watch_set.admission.check()


def _ask_spool(agent: ClusterAgent) -> str | None:
    problem, pods = agent.writer.check(), len(agent.controller.backlog)
    if problem is None or not pods:
        return problem
    return f"{problem}; {counted(pods, 'pod')} {'is' if pods == 1 else 'are'} held by uid until it does"


async def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    gone = list(tasks)
    for task in gone:
        task.cancel()
    await asyncio.gather(*gone, return_exceptions=True)
