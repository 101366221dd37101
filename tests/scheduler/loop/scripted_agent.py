"""An agent that acts on commands as the contract says, over a broker; its pods do what a script says, run by run."""

import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Final

from agent.broker.port import Broker, BrokerError, Message, Producer, SendOutcome, SubscriptionKind
from agent.broker.topics import commands_topic, events_topic, heartbeat_topic
from agent.core.failure import Occurrence
from agent.core.heartbeat import Heartbeat, RunOffer
from agent.core.run_command import CreateRun, DiscardRun, ListRuns, RunCommand, StartRun, StopRun
from agent.core.run_event import (
    Confirmation,
    Content,
    CreationFailed,
    Identity,
    ListedRun,
    PodReference,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunsListed,
    RunStopped,
    StopAnswer,
)
from agent.wire import commands as commands_wire
from agent.wire import events as events_wire
from agent.wire import heartbeat as heartbeat_wire
from tests.store.events import failed

CLUSTER: Final = "east"
CLUSTER_ID: Final = "id-east"
CRASH: Final = failed(containers=[{"name": "main", "exitCode": 1, "reason": "Error"}])
OVERDUE: Final = failed(
    Occurrence.DEADLINE_EXCEEDED, containers=[], categories=["internal"], subcategory="active-deadline"
)
WRITTEN_OFF: Final = failed(containers=[], conditions=[{"type": "DisruptionTarget", "reason": "DeletionByPodGC"}])
ANSWERS: Final[Mapping[str, Content]] = {
    "reject": RunRejected(reason="Quota", message="exceeded"),
    "refuse": CreationFailed(reason="Invalid", message="spec.containers: required"),
}
NO_POD: Final = frozenset(ANSWERS)


@dataclass
class Pod:
    """``script``: what it does once it is started. ``ended``: how it ended."""

    reference: PodReference
    identity: Identity
    script: str
    gated: bool = True
    started: bool = False
    deleted: bool = False
    ended: str = ""

    @property
    def alive(self) -> bool:
        return self.started and not self.ended


@dataclass
class ScriptedAgent:
    """``scripts`` say by job set what the runs of a job do.

    Every report is sent ``times`` times, and every command is obeyed ``obeys`` times. The next create of each job set
    that it ``loses`` is lost.

    What they do has the words of ``outcomes.SCRIPTS``.
    """

    broker: Broker
    scripts: Mapping[str, Sequence[str]]
    times: int = 1
    obeys: int = 1
    max_runs: int = 100
    loses: set[str] = field(default_factory=set)
    pods: dict[str, Pod] = field(default_factory=dict)
    answered: Counter[str] = field(default_factory=Counter)
    overlaps: list[str] = field(default_factory=list)
    received: list[RunCommand] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stop = Event()
        self._late: list[RunCommand] = []
        self._producers: dict[str, tuple[Producer, int]] = {}
        self._thread = Thread(target=self._run)
        self.broker.ensure_subscription(commands_topic(CLUSTER), "agent")

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        subscription = self.broker.subscribe(
            [commands_topic(CLUSTER)], name="agent", kind=SubscriptionKind.FAILOVER, consumer="agent"
        )
        heard = 0.0
        while not self._stop.is_set():
            if time.monotonic() - heard > 1:
                heard = time.monotonic()
                self._beat()
            received = subscription.receive(at_most=100, timeout=0.05)
            for delivery in received:
                command = commands_wire.decode_any(delivery.message.payload)
                if isinstance(command, ListRuns):
                    self._list(command)
                    continue
                self.received.append(command)
                for _ in range(self.obeys):
                    self._obey(command)
            subscription.ack(received)
            while self._late:
                self._obey(self._late.pop())
        subscription.close()

    def obey_again(self) -> None:
        """Obey every command that was ever received once more, the latest first."""
        self._late.extend(self.received)

    def _obey(self, command: RunCommand) -> None:
        match command.command:
            case CreateRun() as create:
                self._create(command, create)
            case StartRun(pod=reference):
                self._begin(self.pods[reference.uid])
            case StopRun(pod=reference):
                self._end(self.pods[reference.uid])
            case DiscardRun(pod=reference):
                self.pods[reference.uid].deleted = True

    def vanish(self, uid: str) -> None:
        """Have a pod be gone that nobody watched."""
        self.pods[uid].deleted, self.pods[uid].ended = True, "unseen"

    def _create(self, command: RunCommand, create: CreateRun) -> None:
        if create.job_set in self.loses:
            self.loses.remove(create.job_set)
            return
        known = next((pod for pod in self.pods.values() if pod.identity.run_id == command.run_id), None)
        script = self._script(command, create)
        if script in NO_POD:
            identity = Identity(job_id=command.job_id, run_id=command.run_id)
            self._report(ANSWERS[script], identity, PodReference(namespace=create.namespace, name="", uid=""))
            return
        pod = known or Pod(
            reference=PodReference(
                namespace=create.namespace, name=create.pod_name, uid=str(uuid.uuid4()), node=f"n{create.index}"
            ),
            identity=Identity(job_id=command.job_id, run_id=command.run_id),
            script=script,
        )
        self.pods[pod.reference.uid] = pod
        self._tell(pod, RunCreated())

    def _script(self, command: RunCommand, create: CreateRun) -> str:
        """A rejected run has the index of the next one, so rejections are counted."""
        runs = self.scripts[create.job_set]
        place = create.index + self.answered[command.job_id]
        script = runs[min(place, len(runs) - 1)]
        self.answered[command.job_id] += script == "reject"
        return script

    def _begin(self, pod: Pod) -> None:
        if pod.deleted:
            self._tell(pod, RunStopped(answer=StopAnswer.NEVER_STARTED), confirmed=Confirmation.NEVER_BOUND)
            return
        if not pod.gated:
            self._tell(pod, RunPhase.PENDING)
            return
        pod.gated, pod.started = False, True
        living = [one for one in self.pods.values() if one.identity.job_id == pod.identity.job_id and one.alive]
        if len(living) > 1:
            self.overlaps.append(pod.identity.job_id)
        self._tell(pod, RunPhase.PENDING)
        self._tell(pod, RunPhase.RUNNING)
        self._finish(pod)

    def _finish(self, pod: Pod) -> None:
        match pod.script:
            case "ok":
                pod.ended = "succeeded"
                self._tell(pod, RunPhase.SUCCEEDED, confirmed=Confirmation.CONTAINERS)
            case "oom" | "crash":
                pod.ended = "failed"
                content = failed() if pod.script == "oom" else CRASH
                self._tell(pod, content, confirmed=Confirmation.CONTAINERS)
            case "halt":
                self._tell(pod, OVERDUE)
            case "lost":
                pod.ended = "lost"
                self._tell(pod, WRITTEN_OFF)
            case _:
                pass

    def _end(self, pod: Pod) -> None:
        if pod.ended == "lost":
            return
        if pod.ended == "unseen":
            self._tell(pod, RunStopped(answer=StopAnswer.GONE))
            return
        answer = {"succeeded": StopAnswer.SUCCEEDED_BEFORE, "failed": StopAnswer.FAILED_BEFORE}.get(pod.ended)
        pod.deleted = True
        pod.ended = pod.ended or "failed"
        self._tell(pod, RunStopped(answer=answer or StopAnswer.GONE), confirmed=Confirmation.CONTAINERS)

    def _list(self, asked: ListRuns) -> None:
        """Answer in two pages, the last one first."""
        listed = [self._listed(pod) for pod in self.pods.values() if not pod.deleted]
        middle, list_id, now = len(listed) // 2, str(uuid.uuid4()), datetime.now(UTC)
        for number, runs in reversed(list(enumerate((listed[:middle], listed[middle:])))):
            page = RunsListed(
                event_id=f"{list_id}/{number}",
                cluster_id=CLUSTER_ID,
                cluster=CLUSTER,
                list_id=list_id,
                page=number,
                pages=2,
                as_of=asked.issued_at,
                listed_at=now,
                runs=tuple(runs),
            )
            for _ in range(self.times):
                self._send(events_topic(CLUSTER), Message(key=CLUSTER_ID, payload=events_wire.encode_list(page)))

    def _listed(self, pod: Pod) -> ListedRun:
        phases = {"succeeded": RunPhase.SUCCEEDED, "failed": RunPhase.FAILED}
        return ListedRun(
            pod=pod.reference,
            job_id=pod.identity.job_id,
            run_id=pod.identity.run_id,
            queue="",
            phase=phases.get(pod.ended, RunPhase.RUNNING if pod.started else RunPhase.PENDING),
            gated=pod.gated,
            confirmed=Confirmation.CONTAINERS if pod.ended in phases else None,
        )

    def _tell(self, pod: Pod, content: Content, *, confirmed: Confirmation | None = None) -> None:
        self._report(content, pod.identity, pod.reference, confirmed=confirmed, gated=pod.gated)

    def _report(
        self,
        content: Content,
        identity: Identity,
        pod: PodReference,
        *,
        confirmed: Confirmation | None = None,
        gated: bool = False,
    ) -> None:
        now = datetime.now(UTC)
        event = RunEvent(
            event_id=f"{pod.uid or identity.run_id}/{type(content).__name__}/{content}"[:200],
            cluster_id=CLUSTER_ID,
            cluster=CLUSTER,
            identity=identity,
            pod=pod,
            occurred_at=now,
            observed_at=now,
            event=content,
            confirmed=confirmed,
            gated=gated,
        )
        for _ in range(self.times):
            self._send(events_topic(CLUSTER), Message(key=identity.scope, payload=events_wire.encode(event)))

    def _beat(self) -> None:
        beat = Heartbeat(
            cluster_id=CLUSTER_ID,
            cluster=CLUSTER,
            epoch=1,
            incarnation="i",
            spool_id="s",
            last_spooled=0,
            last_acknowledged=0,
            runs=RunOffer(namespaces=("jobs",), max_runs=self.max_runs),
        )
        self._send(heartbeat_topic(CLUSTER), Message(key=CLUSTER_ID, payload=heartbeat_wire.encode(beat)))

    def _send(self, topic: str, message: Message) -> None:
        if topic not in self._producers:
            producer = self.broker.producer(topic, name=f"agent-{uuid.uuid4()}")
            self._producers[topic] = (producer, max(producer.last_sequence_id(), 0))
        producer, sequence = self._producers[topic]
        self._producers[topic] = (producer, sequence + 1)
        outcomes: list[SendOutcome | BrokerError] = []
        producer.send(message, sequence_id=sequence + 1, done=outcomes.append)
        producer.flush(30)
        assert outcomes == [SendOutcome.STORED]
