"""What the scheduler does, by hand: commands sent over an event log, and the answers that come back."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.broker.connect import connect
from agent.broker.port import Message
from agent.broker.topics import commands_topic
from agent.core.lifecycle.run import GracefulShutdown, LostCluster
from agent.core.run_command import CommandContent, CreateRun, DiscardRun, RunCommand, StartRun, StopRun
from agent.core.run_event import PodReference, RunCreated, RunEvent, RunPhase
from agent.wire import commands as wire
from tests.cluster.living import Living, Running, eventually
from tests.simulator.api import PODS, Json

TAKES_RUNS: dict[str, Any] = {"run": {"namespaces": ["default", "none"], "maxRuns": 10}}
AT = datetime(2026, 11, 21, tzinfo=UTC)
POD = {"spec": {"containers": [{"name": "main", "image": "i"}], "terminationGracePeriodSeconds": 5}}


MAIN_RUNS = {"name": "main", "image": "i", "state": {"running": {"startedAt": "2026-11-21T10:00:00Z"}}}


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


@dataclass(kw_only=True)
class Scheduler:
    """Commands for the cluster of this life, over its broker."""

    life: Living
    cluster_id: str
    sent: int = 0
    source: str = field(default_factory=lambda: uuid.uuid4().hex)

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
        broker = connect(f"sqlite:///{self.life.folder}/log/log.db")
        topic = commands_topic("east")
        broker.ensure_subscription(topic, "agent")
        producer = broker.producer(topic, name=self.source)
        for payload in payloads:
            self.sent += 1
            producer.send(Message(key="j1", payload=payload), sequence_id=self.sent, done=lambda _: None)
        producer.flush(10)
        broker.close()

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
        events = [event for event in self.life.events() if event.identity.run_id == run]
        return [event for event in events if not kinds or _is_any(event.event, kinds)]

    def dead_letters(self) -> list[bytes]:
        return self.life.published("run-commands-east-agent-dlq")

    async def pods(self) -> Sequence[Json]:
        items: Sequence[Json] = (await self.life.api.get(PODS))["items"]
        return items

    async def bound(self, pod: PodReference) -> None:
        """What scheduler and kubelet do with a pod that has no gate: it runs."""
        binding = {"metadata": {"name": pod.name}, "target": {"kind": "Node", "name": "n1"}}
        await self.life.api.create(f"{PODS}/{pod.name}/binding", binding)
        await self.life.set_status(pod.name, {"phase": "Running", "containerStatuses": [MAIN_RUNS]})

    async def running(self) -> PodReference:
        """A run that was created and started, and whose container runs."""
        self.send(create())
        pod = await self.created()
        self.start(pod)
        await self.until(RunPhase.PENDING)
        await self.bound(pod)
        await self.until(RunPhase.RUNNING)
        return pod


async def ready(running: Running) -> None:
    """Wait until the agent offers runs: it knows that gates are kept, and has subscribed."""
    commands = running.agent.commands
    assert commands is not None
    await eventually(lambda: commands.offer() is not None)


def _is_any(content: object, kinds: Sequence[object]) -> bool:
    return any(isinstance(content, kind) if isinstance(kind, type) else content == kind for kind in kinds)
