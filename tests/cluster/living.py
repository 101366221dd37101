"""The agent in this process, a simulated cluster beside it, and a real event log behind it."""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from agent.broker.lazy import LazyBroker
from agent.cluster.app import build
from agent.cluster.config.rules import read_rules, rules_file
from agent.cluster.process import ClusterAgent
from agent.cluster.spool.spool import Spool
from agent.cluster.time_check import hear, settle
from agent.cluster.wiring.pipeline import Context
from agent.core.failure import Failure
from agent.core.run_event import RunEvent
from agent.kube.cluster_id import cluster_id
from agent.kube.connection import Connection
from agent.kube.finalizer import FINALIZER
from agent.process.server_clock import ServerClock
from agent.settings.cluster import ClusterSettings
from agent.simulator.simulation import Options, Simulation
from agent.simulator.times import Clocks
from tests.cluster.run_events import is_about_a_run, published, run_events
from tests.simulator.api import PODS, Api, Json, pod

CATEGORIES = """
errorCategories:
  defaultCategory: unknown
  categories:
    - name: memory
      rules: [{onConditions: [OOMKilled]}]
    - name: volume
      rules: [{onPodEvents: {regexp: "mount failed", type: Warning}}]
    - name: log
      rules: [{onLogTail: {pattern: "out of tape"}}]
"""

MINUTE = 60.0


EVENTS_EAST = "run-events-east"


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What an agent is made from; a test may give others that do the same and something more."""

    connection: type[Connection] = Connection
    spool: type[Spool] = Spool
    broker: type[LazyBroker] = LazyBroker


@dataclass(kw_only=True)
class Living:
    """A cluster, and a folder for the agent's files."""

    api: Api
    simulation: Simulation
    folder: Path

    def settings(self, *, text: str = CATEGORIES, **changed: object) -> ClusterSettings:
        categories = self.folder / "categories.yaml"
        categories.write_text(text)
        given: dict[str, object] = {
            "cluster": "east",
            "kube": {"url": self.simulation.url},
            "categories": str(categories),
            "broker": {"url": f"sqlite:///{self.folder}/log/log.db"},
            "spool": {"path": str(self.folder / "spool.db")},
            "evidenceWait": "0s",
            "shutdown": "10s",
            "heartbeat": {"interval": "100ms"},
            **changed,
        }
        return ClusterSettings.model_validate_json(json.dumps(given))

    def open_log(self) -> None:
        """The broker answers from now on."""
        (self.folder / "log").unlink(missing_ok=True)
        (self.folder / "log").mkdir()

    def close_log(self) -> None:
        """The broker does not answer: a file is in the place of its folder, so that nobody can create it."""
        (self.folder / "log").touch()

    def lose_log(self) -> None:
        """The broker does not answer any longer; what it has stays."""
        (self.folder / "log").rename(self.folder / "lost")
        self.close_log()

    def find_log(self) -> None:
        """The broker answers again."""
        (self.folder / "log").unlink()
        (self.folder / "lost").rename(self.folder / "log")

    @asynccontextmanager
    async def agent(
        self, *, text: str = CATEGORIES, clock: ServerClock | None = None, parts: Parts = Parts(), **changed: object
    ) -> AsyncIterator["Running"]:
        """The agent with these categories, drained at the end unless it was killed."""
        settings = self.settings(text=text, **changed)
        spool = parts.spool.open(
            settings.spool.path,
            cluster=settings.cluster,
            max_bytes=settings.spool.max_bytes,
            keep_acknowledged=settings.spool.keep_acknowledged,
            max_events=settings.spool.max_events,
        )
        broker = parts.broker.open(settings.broker)
        async with await parts.connection.open(settings.kube) as connection:
            clock = clock or ServerClock()
            hear(clock, connection)
            await settle(clock, connection)
            ground = Context(
                settings=settings,
                rules=read_rules(rules_file(settings), settings.redaction, event_types=settings.watch.event_types),
                spool=spool,
                broker=broker,
                connection=connection,
                cluster_id=await cluster_id(connection),
                clock=clock,
            )
            agent, asked = build(ground), asyncio.Event()
            running = Running(agent=agent, spool=spool, task=asyncio.create_task(agent.run(asked)))
            try:
                await eventually(lambda: agent.watch_set.informers.synced)
                yield running
                asked.set()
                if not running.killed:
                    await running.task
            finally:
                await running.kill()
                spool.close()
                broker.close()

    async def create(self, name: str, *, held: bool = True, **meta: Any) -> Json:
        return await self.api.create(PODS, pod(name, finalizers=[FINALIZER] if held else [], **meta))

    async def set_status(self, name: str, status: Mapping[str, object]) -> None:
        await self.api.patch(f"{PODS}/{name}/status", {"status": status})

    async def fail(self, name: str, *, code: int = 1, reason: str = "Error", message: str = "") -> None:
        await self.set_status(name, failed(code=code, reason=reason, message=message))

    async def event(self, about: Json, message: str, **fields: object) -> None:
        meta = about["metadata"]
        body = {
            "metadata": {"name": f"{meta['name']}.{uuid.uuid4().hex[:8]}"},
            "involvedObject": {"kind": "Pod", "namespace": "default", "name": meta["name"], "uid": meta["uid"]},
            "type": "Warning",
            "reason": "FailedMount",
            "message": message,
            **fields,
        }
        await self.api.create("/api/v1/namespaces/default/events", body)

    async def delete(self, name: str, **query: Any) -> None:
        status, answer = await self.api.ask("DELETE", f"{PODS}/{name}", **query)
        assert status == 200, answer

    async def exists(self, name: str) -> bool:
        return (await self.api.ask("GET", f"{PODS}/{name}"))[0] == 200

    async def is_held(self, name: str) -> bool:
        status, found = await self.api.ask("GET", f"{PODS}/{name}")
        return status == 200 and FINALIZER in found["metadata"].get("finalizers", [])

    def published(self, topic: str = EVENTS_EAST) -> list[bytes]:
        """Every message on a topic, from the first on; of events, those about a run."""
        found = published(self.folder / "log" / "log.db", topic)
        return [payload for payload in found if topic != EVENTS_EAST or is_about_a_run(payload)]

    def events(self) -> list[RunEvent]:
        return run_events(self.published())

    def reported(self) -> list[tuple[str, str, str]]:
        """Pod, occurrence and category of every event on the topic, in the order of the pods' names."""
        return sorted(self.course())

    def course(self) -> list[tuple[str, str, str]]:
        """The same, in the order they were told."""
        return [(event.pod.name, *_words(event.event)) for event in self.events()]

    async def until_reported(self, count: int) -> list[tuple[str, str, str]]:
        await eventually(lambda: len(self.published()) >= count)
        return self.reported()


@dataclass(kw_only=True)
class Running:
    """One running agent."""

    agent: ClusterAgent
    spool: Spool
    task: asyncio.Task[None]
    killed: bool = False

    async def kill(self) -> None:
        """End it without draining."""
        self.killed = True
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task

    async def until_spooled(self, count: int) -> None:
        await eventually(lambda: self.spooled() >= count)

    def spooled(self) -> int:
        """How many events of runs were spooled to be published: the first report is of the agent's rules."""
        return max(self.spool.state().last_spooled - 1, 0)


@asynccontextmanager
async def living(folder: Path, *, log: bool = True, clocks: Clocks | None = None) -> AsyncIterator[Living]:
    async with (
        Simulation(Options(cluster="east", namespaces=("default", "other"), clocks=clocks or Clocks())) as simulation,
        aiohttp.ClientSession() as session,
    ):
        life = Living(api=Api(session, simulation.url), simulation=simulation, folder=folder)
        if log:
            life.open_log()
        else:
            life.close_log()
        yield life


async def eventually(met: Callable[[], bool] | Callable[[], Awaitable[bool]], *, seconds: float = MINUTE) -> None:
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while True:
            answer = met()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(min(max((time.monotonic() - began) * 0.05, 0.01), 0.05))


def failed(*, code: int = 1, reason: str = "Error", message: str = "") -> dict[str, Any]:
    ended = {"exitCode": code, "reason": reason, "message": message, "finishedAt": "2026-11-21T10:00:00Z"}
    return {
        "phase": "Failed",
        "containerStatuses": [{"name": "main", "image": "i", "ready": False, "state": {"terminated": ended}}],
    }


def _words(event: object) -> tuple[str, str]:
    assert isinstance(event, Failure)
    return event.occurrence.value, event.classification.category
