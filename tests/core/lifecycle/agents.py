"""The model with two agents: spools, commands in hand, requests in flight, and a broker that redelivers.

What is one move in ``world`` are several here: an agent takes a command, acts at the API server, spools its answer with
the acknowledgement, and publishes it. It may die between any two, or go on after the standby took over. Our finalizer
keeps a pod until the broker has its end.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from agent.core.lifecycle.effects import Command, Create, Discard, Start, Stop
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import GatedPodDeleted, Input, NameTaken, RunCreated, RunFailed, RunStopped
from agent.core.lifecycle.inventory import Inventory
from agent.core.lifecycle.run import Fail
from agent.core.run_event import ListedRun, PodReference, RunPhase, StopAnswer
from tests.core.lifecycle.made import T0
from tests.core.lifecycle.world import CLUSTER, Ask, Broken, Message, Pod, World

NEVER: Final = T0 - timedelta(days=1)
"""Before everything."""

COMMANDS: Final = (Create, Start, Stop, Discard, Ask)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Inventory):
    """A list with all that it says of each pod, and since when the agent's process has heard of the scheduler."""

    seen: tuple[ListedRun, ...]


Report = Input | Listing
Result = tuple[Message, list[Report]]
"""A command, and what its answer says."""


@dataclass(slots=True, eq=False)
class Agent:
    """``taken`` and ``done`` commands and ``asked`` stops are in memory; ``spool`` and ``stopping`` are on disk.

    ``heard``: when the latest command was written that this process has received.
    """

    name: str
    disks: int = 0
    sequence: int = 0
    spool: list[Report] = field(default_factory=list)
    stopping: set[str] = field(default_factory=set)
    taken: list[Message] = field(default_factory=list)
    done: list[Result] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    heard: datetime = NEVER

    @property
    def spool_id(self) -> str:
        return f"{self.name}/{self.disks}"

    def forget(self) -> None:
        self.taken, self.done, self.asked, self.heard = [], [], set(), NEVER


@dataclass
class Agents(World):
    """``messages`` are those that nobody acknowledged. ``flying``: requests of dead agents that may still arrive.

    ``told``: reports that the broker has. ``late`` and ``dead``: those that it keeps back, or gave up. ``denied``: runs
    whose pod the API server refused.
    """

    agents: tuple[Agent, Agent] = field(default_factory=lambda: (Agent("a"), Agent("b")))
    leader: int = 0
    outbox: list[Message] = field(default_factory=list)
    replies: list[Report] = field(default_factory=list)
    flying: list[Create] = field(default_factory=list)
    published: list[Message] = field(default_factory=list)
    told: set[Report] = field(default_factory=set)
    late: list[Message] = field(default_factory=list)
    dead: list[Message] = field(default_factory=list)
    denied: set[str] = field(default_factory=set)

    # The broker

    def send(self, body: Command | Input) -> None:
        """A command waits in the outbox; a report is among the replies of the agent that acts."""
        if isinstance(body, COMMANDS):
            self.outbox.append(Message(body, self.now))
        else:
            self.replies.append(body)

    def put(self, message: Message) -> None:
        """Store it, behind all others."""
        stored = replace(message, position=len(self.published))
        self.messages.append(stored)
        self.published.append(stored)

    def publish(self, agent: Agent) -> None:
        body = agent.spool.pop(0)
        agent.sequence += 1
        self.put(Message(body, spool=agent.spool_id, sequence=agent.sequence))
        if not isinstance(body, Inventory):
            self.told.add(body)

    def acknowledge(self, message: Message) -> None:
        if message in self.messages:
            self.messages.remove(message)

    def bury(self, message: Message) -> None:
        """Move a report to the dead letters: nobody waits for it any more."""
        self.messages.remove(message)
        self.dead.append(message)

    def replay(self, message: Message) -> None:
        self.dead.remove(message)
        self.messages.append(message)

    # Agents

    @property
    def acting(self) -> Agent:
        return self.agents[self.leader]

    def take(self, agent: Agent, message: Message) -> None:
        agent.taken.append(message)
        agent.heard = max(agent.heard, message.issued_at)

    def act(self, agent: Agent, message: Message) -> None:
        """One request to the API server. The answer is in memory until it is spooled with the acknowledgement."""
        agent.taken.remove(message)
        self.story.append(type(message.body).__name__)
        self.replies = []
        match message.body:
            case Create():
                self.create(message, message.body)
            case Stop():
                self.stop_by(agent, self.pod(message.body.uid))
            case Start() | Discard():
                {Start: self.start, Discard: self.discard}[type(message.body)](self.pod(message.body.uid))
            case Ask():
                self.list_pods(agent)
            case _:
                raise AssertionError(f"{message} is no command")
        agent.done.append((message, self.replies))

    def pod(self, uid: str) -> Pod:
        return next(pod for pod in self.pods if pod.uid == uid)

    def spool(self, agent: Agent, result: Result) -> None:
        message, replies = result
        agent.done.remove(result)
        agent.spool.extend(replies)
        if not any(isinstance(reply, NameTaken) for reply in replies):
            self.acknowledge(message)

    def die(self, agent: Agent) -> None:
        """The process ends; its request may still be on its way to the API server."""
        self.flying.extend(message.body for message in agent.taken if isinstance(message.body, Create))
        agent.forget()

    def lose_disk(self, agent: Agent) -> None:
        self.die(agent)
        agent.disks, agent.sequence, agent.spool, agent.stopping = agent.disks + 1, 0, [], set()

    def land(self, create: Create) -> None:
        self.flying.remove(create)
        if self.holder(create) is None:
            self.make(create)

    def wait_for_name(self, command: Create, holder: Pod) -> None:
        """The create is not acknowledged. A pod of ours that is known to have ended makes room."""
        self.send(NameTaken(cluster=CLUSTER, run_id=command.run_id, uid=holder.uid))
        self.story.append("name held")
        if self.is_over(holder) and self.seen(holder) in self.told:
            holder.deleting, holder.exists = True, False

    def start(self, pod: Pod) -> None:
        if not pod.exists:
            self.send(RunStopped(cluster=CLUSTER, uid=pod.uid, answer=StopAnswer.GONE))
            return
        if pod.gated and self.job.run_of_pod(pod.uid, cluster=CLUSTER) is None:
            raise Broken(Guarantee.STARTS_ONLY_BY_UID, f"{pod} starts, and nobody recorded it")
        super().start(pod)

    def stop_by(self, agent: Agent, pod: Pod) -> None:
        if not pod.exists:
            self.send(RunStopped(cluster=CLUSTER, uid=pod.uid, answer=StopAnswer.GONE))
        elif self.is_over(pod):
            self.answer(pod)
        else:
            pod.deleting = True
            agent.asked.add(pod.uid)
            agent.stopping.add(pod.uid)

    def discard(self, pod: Pod) -> None:
        pod.deleting |= pod.gated

    def report(self, agent: Agent, pod: Pod) -> None:
        """Spool what the agent sees of a pod, and the answer to its stop."""
        self.replies = []
        if pod.gated and pod.exists and pod.deleting:
            self.send(RunCreated(cluster=CLUSTER, run_id=pod.run_id, uid=pod.uid))
        self.observe(pod)
        if pod.burns and pod.exists:
            self.send(RunFailed(cluster=CLUSTER, uid=pod.uid, verdict=Fail(), confirmed=pod.proof()))
        if self.is_over(pod) and pod.uid in agent.asked | agent.stopping:
            self.answer(pod)
        agent.spool.extend(self.replies)

    def list_pods(self, agent: Agent) -> None:
        seen = tuple(self.listed(pod) for pod in self.pods if pod.exists)
        pods = {run.pod.uid: run.run_id for run in seen}
        agent.spool.append(Listing(cluster=CLUSTER, as_of=agent.heard, pods=pods, seen=seen))

    def listed(self, pod: Pod) -> ListedRun:
        return ListedRun(
            pod=PodReference(namespace="", name=pod.name, uid=pod.uid, node=pod.node),
            job_id=self.job.job_id,
            run_id=pod.run_id,
            queue="",
            phase=RunPhase.RUNNING if pod.shown == "running" else RunPhase.PENDING,
            gated=pod.gated,
            confirmed=pod.proof(),
        )

    # API server and kubelet

    def is_over(self, pod: Pod) -> bool:
        return pod.proof() is not None

    def seen(self, pod: Pod) -> Input:
        if pod.exists and pod.gated and pod.deleting:
            return GatedPodDeleted(cluster=CLUSTER, uid=pod.uid, verdict=Fail())
        if pod.exists and pod.deleting and pod.shown != "succeeded" and (pod.forced or not pod.node):
            return RunFailed(cluster=CLUSTER, uid=pod.uid, verdict=Fail(), confirmed=pod.proof())
        return super().seen(pod)

    def sync(self, pod: Pod) -> None:
        """The kubelet writes the status; the object stays as long as it has our finalizer."""
        pod.shown = pod.ended or "running"

    def may_be_released(self, pod: Pod) -> bool:
        """Whether the broker has the end of a pod that only our finalizer keeps."""
        kept = pod.exists and pod.deleting and (pod.forced or not pod.node or pod.shown in {"succeeded", "failed"})
        return kept and self.seen(pod) in self.told
