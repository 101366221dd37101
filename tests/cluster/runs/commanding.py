"""What the scheduler does, by hand: commands sent over an event log, and the answers that come back."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.broker.connect import connect
from agent.broker.port import BrokerError, Message, SubscriptionKind
from agent.broker.topics import commands_topic
from agent.core.lifecycle.run import GracefulShutdown, LostCluster
from agent.core.run_command import CommandContent, CreateRun, DiscardRun, ListRuns, RunCommand, StartRun, StopRun
from agent.core.run_event import PodReference, RunCreated, RunEvent, RunPhase, RunsListed
from agent.wire import commands as wire
from tests.cluster.living import EVENTS_EAST, Living, Running, eventually, failed
from tests.cluster.run_events import run_events, run_lists
from tests.simulator.api import PODS, Json

COMMANDS_EAST = commands_topic("east")
TAKES_RUNS: dict[str, Any] = {"run": {"namespaces": ["default", "none"], "maxRuns": 10}}
AT = datetime(2026, 11, 21, tzinfo=UTC)
POD = {"spec": {"containers": [{"name": "main", "image": "i"}], "terminationGracePeriodSeconds": 5}}


MAIN_RUNS = {"name": "main", "image": "i", "state": {"running": {"startedAt": "2026-11-21T10:00:00Z"}}}


def ended_now(code: int) -> dict[str, Any]:
    """How a kubelet reports a container that ends now."""
    status = failed(code=code)
    status["containerStatuses"][0]["state"]["terminated"]["finishedAt"] = datetime.now(UTC).isoformat()
    return {**status, "phase": "Failed" if code else "Succeeded"}


def create(*, name: str = "armada-j1-0", namespace: str = "default", pod: object = POD, **more: Any) -> CreateRun:
    given: dict[str, Any] = {
        "queue": "physics",
        "job_set": "sweep",
        "namespace": namespace,
        "pod_name": name,
        "index": 0,
        "pod": json.dumps(pod).encode(),
        "lost_cluster": LostCluster.WAIT,
        "graceful_shutdown": GracefulShutdown.CONFIRMED,
        "grace": timedelta(0),
        **more,
    }
    return CreateRun(**given)


def command(content: CommandContent, *, cluster_id: str, job: str = "j1", run: str = "r1") -> RunCommand:
    return RunCommand(cluster_id=cluster_id, job_id=job, run_id=run, issued_at=AT, command=content)


class Link:
    """The scheduler's side of the broker, kept open: many runs share one loop, which every wait for the disk stops."""

    def __init__(self, folder: Path) -> None:
        self._broker = connect(f"sqlite:///{folder}/log/log.db")
        self._broker.ensure_subscription(COMMANDS_EAST, "agent")
        name, kind = uuid.uuid4().hex, SubscriptionKind.FAILOVER
        self._events = self._broker.subscribe([EVENTS_EAST], name=name, kind=kind, consumer=name)
        self._commands = self._broker.producer(COMMANDS_EAST, name=name)
        self._sent = 0
        self._payloads: list[bytes] = []

    def send(self, payloads: Sequence[bytes]) -> None:
        for payload in payloads:
            self._sent += 1
            self._commands.send(Message(key="j1", payload=payload), sequence_id=self._sent, done=lambda _: None)
        self._commands.flush(60)

    def received(self) -> list[bytes]:
        """All messages of the agent so far, in order. Raises BrokerError."""
        while some := self._events.receive(at_most=500, timeout=0):
            self._payloads += [delivery.message.payload for delivery in some]
            self._events.ack(some)
        return self._payloads

    def close(self) -> None:
        self._broker.close()


@dataclass(kw_only=True)
class Scheduler:
    """Commands for the cluster of this life, over its broker."""

    life: Living
    cluster_id: str
    _link: Link | None = None

    @classmethod
    async def of(cls, life: Living) -> "Scheduler":
        namespace = await life.api.get("/api/v1/namespaces/kube-system")
        return cls(life=life, cluster_id=namespace["metadata"]["uid"])

    def send(self, *contents: CommandContent, run: str = "r1", job: str = "j1", cluster_id: str = "") -> None:
        self.send_bytes(
            *(
                wire.encode(command(each, cluster_id=cluster_id or self.cluster_id, job=job, run=run))
                for each in contents
            )
        )

    def send_bytes(self, *payloads: bytes) -> None:
        self._linked().send(payloads)

    def start(self, pod: PodReference, **more: str) -> None:
        self.send(StartRun(pod), **more)

    def stop(self, pod: PodReference, **more: str) -> None:
        self.send(StopRun(pod), **more)

    def discard(self, pod: PodReference, **more: str) -> None:
        self.send(DiscardRun(pod), **more)

    async def created(self, *, run: str = "r1", times: int = 1) -> PodReference:
        """Wait for the answer to the create of the run; the pod that it names."""
        events = await self.until(RunCreated, run=run, times=times)
        return events[-1].pod

    async def until(self, *kinds: object, run: str = "r1", times: int = 1) -> list[RunEvent]:
        """Wait for as many events of the run that are one of these, or of one of these types."""
        await eventually(lambda: len(self.of_run(run, *kinds)) >= times)
        return self.of_run(run, *kinds)

    def of_run(self, run: str, *kinds: object) -> list[RunEvent]:
        events = [event for event in self._events() if event.identity.run_id == run]
        return [event for event in events if not kinds or _is_any(event.event, kinds)]

    def list_runs(self, issued_at: datetime = AT, *, cluster_id: str = "") -> None:
        asked = ListRuns(cluster_id=cluster_id or self.cluster_id, issued_at=issued_at)
        self.send_bytes(wire.encode(asked))

    def lists(self) -> list[RunsListed]:
        """The pages of all lists so far, in order."""
        return run_lists(self._received())

    async def listed(self, as_of: datetime | None) -> RunsListed:
        """Wait for a list that is as of then, and has one page."""
        await eventually(lambda: any(page.as_of == as_of for page in self.lists()))
        return next(page for page in self.lists() if page.as_of == as_of)

    def events_before(self, page: RunsListed) -> list[RunEvent]:
        """The events of runs that came before this page."""
        received = self._received()
        place = next(number for number, payload in enumerate(received) if run_lists([payload]) == [page])
        return run_events(received[:place])

    def _events(self) -> list[RunEvent]:
        return run_events(self._received())

    def _received(self) -> list[bytes]:
        try:
            return self._linked().received()
        except BrokerError:  # the test took the log away; it is read from the start when it is back
            self.close()
            return []

    def _linked(self) -> Link:
        if self._link is None:
            self._link = Link(self.life.folder)
        return self._link

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    def dead_letters(self) -> list[bytes]:
        return self.life.published("run-commands-east-agent-dlq")

    async def pods(self) -> Sequence[Json]:
        items: Sequence[Json] = (await self.life.api.get(PODS))["items"]
        return items

    async def bind(self, pod: PodReference, *, node: str = "n1") -> None:
        """What the scheduler of Kubernetes does with a pod that has no gate."""
        binding = {"metadata": {"name": pod.name}, "target": {"kind": "Node", "name": node}}
        await self.life.api.create(f"{PODS}/{pod.name}/binding", binding)

    async def bound(self, pod: PodReference, *, node: str = "n1") -> None:
        """What scheduler and kubelet do with a pod that has no gate: it runs."""
        await self.bind(pod, node=node)
        await self.life.set_status(pod.name, {"phase": "Running", "containerStatuses": [MAIN_RUNS]})

    async def started(self) -> PodReference:
        """A run that was created and started, and has no node yet."""
        self.send(create())
        pod = await self.created()
        self.start(pod)
        await self.until(RunPhase.PENDING)
        return pod

    async def until_deleted(self, pod: PodReference) -> None:
        """Wait until somebody has asked the API server for the deletion of the pod."""
        await eventually(lambda: self._is_deleted(pod))

    async def _is_deleted(self, pod: PodReference) -> bool:
        return "deletionTimestamp" in (await self.life.api.get(f"{PODS}/{pod.name}"))["metadata"]

    async def ended(self, pod: PodReference, *, code: int) -> None:
        """What a kubelet reports of a container that ends now."""
        await self.life.set_status(pod.name, ended_now(code))

    async def running(self, *, node: str = "n1") -> PodReference:
        """A run that was created and started, and whose container runs."""
        pod = await self.started()
        await self.bound(pod, node=node)
        await self.until(RunPhase.RUNNING)
        return pod


async def ready(running: Running) -> None:
    """Wait until the agent offers runs: it knows that gates are kept, and has subscribed."""
    commands = running.agent.commands
    assert commands is not None
    await eventually(lambda: commands.offer() is not None)


def _is_any(content: object, kinds: Sequence[object]) -> bool:
    return any(isinstance(content, kind) if isinstance(kind, type) else content == kind for kind in kinds)
