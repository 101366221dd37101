"""A model of all that takes part in a job's life, in which each move is one atomic thing.

A job at a scheduler, a broker that loses, delays and repeats, agents without memory, an API server with gates, kubelets
on a node that may be cut off, and people. ``Pod`` holds the truth (``alive``) and what the API server shows of it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from agent.core.evidence import ContainerKind, StateKind
from agent.core.lifecycle.advance import advance, wakes_at
from agent.core.lifecycle.confirmation import LastSeen, SeenContainer, confirmation_of
from agent.core.lifecycle.effects import (
    Command,
    Create,
    Discard,
    Refusal,
    Refused,
    Start,
    Step,
    Stop,
    WriteEnding,
    WriteVerdict,
)
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import (
    Confirmed,
    CreationFailed,
    GatedPodDeleted,
    Input,
    Leased,
    LeaseExpired,
    NameTaken,
    PhaseReported,
    Preempted,
    RunCreated,
    RunFailed,
    RunRejected,
    RunStopped,
    TimePassed,
)
from agent.core.lifecycle.inventory import Inventory
from agent.core.lifecycle.job import Ending, SubmittedJob
from agent.core.lifecycle.names import PodNames
from agent.core.lifecycle.run import Fail, GracefulShutdown, JobRun, RetryAt, RunTerms, RunVerdict
from agent.core.lifecycle.state import FINAL
from agent.core.lifecycle.waits import ForCluster, ForStop, Wait, why_it_waits
from agent.core.run_event import Confirmation, RunPhase, StopAnswer
from tests.core.lifecycle.laws import Finding, broken, tells_success
from tests.core.lifecycle.made import BACKOFF, CONFIRMED, T0

CLUSTER: Final = "east"
DECIDED = (RunFailed, GatedPodDeleted, CreationFailed, LeaseExpired, Preempted)
Laws = Callable[[SubmittedJob, Input, datetime, Step | Refused], Iterable[Finding]]


class Broken(AssertionError):
    """A promise was broken."""

    def __init__(self, guarantee: Guarantee | str, what: str) -> None:
        super().__init__(f"{guarantee}: {what}")
        self.guarantee = guarantee


@dataclass(slots=True, eq=False)
class Pod:
    """``ours``: our start removed the gate. ``phase_failed``: PodGC wrote it. ``shown``: the container's status.

    ``forced``: deleted without waiting for its kubelet. ``burns``: it never ends by itself.
    """

    uid: str
    run_id: str
    name: str
    gated: bool = True
    ours: bool = False
    exists: bool = True
    deleting: bool = False
    node: str = ""
    alive: bool = False
    ended: str = ""
    shown: str = ""
    phase_failed: bool = False
    stop_asked: bool = False
    forced: bool = False
    burns: bool = False

    @property
    def may_run(self) -> bool:
        return self.alive or (self.exists and not self.gated and not self.node and not self.deleting)

    def proof(self) -> Confirmation | None:
        """What an agent can prove of it."""
        state = StateKind.ABSENT if not self.shown else StateKind.RUNNING
        state = StateKind.TERMINATED if self.shown in {"succeeded", "failed"} else state
        container = SeenContainer(kind=ContainerKind.APP, state=state, exit_code=int(self.shown == "failed"))
        return confirmation_of(LastSeen(containers=(container,), deleting=self.deleting, node=self.node))


@dataclass(frozen=True, slots=True)
class Ask:
    """Command: list all pods."""


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """A command to the cluster, or a report to the scheduler, with its places in its spool and at the broker.

    ``issued_at``: when a command was written.
    """

    body: Command | Input | Inventory | Ask
    issued_at: datetime = T0
    spool: str = ""
    sequence: int = 0
    position: int = 0


@dataclass
class World:
    """``one_name``: all pods of the job have the same. ``story``: what happened so far, in words."""

    laws: Laws = broken
    budget: int = 2
    terms: RunTerms = CONFIRMED
    now: datetime = T0
    job: SubmittedJob = field(default_factory=lambda: SubmittedJob(job_id="a"))
    pods: list[Pod] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    sent: list[Command | Input] = field(default_factory=list)
    undecided: dict[str, list[Input]] = field(default_factory=dict)
    cut_off: str = ""
    verdicts: dict[str, RunVerdict] = field(default_factory=dict)
    endings: dict[int, Ending] = field(default_factory=dict)
    successes: dict[str, int] = field(default_factory=dict)
    pod_names: dict[str, str] = field(default_factory=dict)
    names: int = 0
    one_name: bool = False
    story: list[str] = field(default_factory=list)

    def new(self, kind: str) -> str:
        self.names += 1
        return f"{kind}{self.names}"

    # The scheduler

    def handle(self, event: Input) -> None:
        """One transaction of the scheduler, under the job's lock."""
        job = self.job
        self.story.append(type(event).__name__)
        if isinstance(event, DECIDED):
            event = replace(event, verdict=self.decide(job))
        result = advance(job, event, self.now)
        for guarantee, what in self.laws(job, event, self.now, result):
            raise Broken(guarantee, what)
        if isinstance(result, Refused):
            self.refused(event, result)
            return
        self.job = result.job
        self.pod_names.update({run.run_id: run.pod_name for run in self.job.runs})
        for effect in result.effects:
            match effect:
                case Create() | Start() | Stop() | Discard():
                    self.send(effect)
                case WriteVerdict():
                    self.write_verdict(result.job, event, effect)
                case WriteEnding():
                    self.write_ending(effect.ending)
                case _:
                    pass
        self.note_success(event)
        if isinstance(event, RunCreated):
            for report in self.undecided.pop(event.uid, []):
                self.handle(report)

    def decide(self, job: SubmittedJob) -> RunVerdict:
        used = sum(isinstance(run.verdict, RetryAt) for run in job.runs)
        return Fail() if job.never_retry or used >= self.budget else RetryAt(at=self.now + BACKOFF)

    def refused(self, event: Input, refused: Refused) -> None:
        if refused.why is Refusal.UNKNOWN_UID and isinstance(event, PhaseReported | RunFailed | GatedPodDeleted):
            self.undecided.setdefault(event.uid, []).append(event)
        if refused.why is Refusal.RUN_OPEN and isinstance(event, RunStopped | Confirmed):
            proof = event.by if isinstance(event, Confirmed) else event.confirmed
            self.handle(RunFailed(cluster=CLUSTER, uid=event.uid, verdict=Fail(), confirmed=proof))

    def write_verdict(self, job: SubmittedJob, event: Input, written: WriteVerdict) -> None:
        run = job.run(written.run_id)
        if written.run_id in self.verdicts:
            raise Broken(Guarantee.ONE_VERDICT_PER_RUN, f"{written}")
        if run is None or (isinstance(event, RunFailed) and run.uid != event.uid):
            raise Broken(Guarantee.BELONGS_BY_UID, f"{event} decides {run}")
        self.verdicts[written.run_id] = written.verdict

    def write_ending(self, ending: Ending) -> None:
        if ending.opening in self.endings:
            raise Broken(Guarantee.FIRST_ENDING_WINS, f"{ending}")
        self.endings[ending.opening] = ending

    def note_success(self, event: Input) -> None:
        """Remember the success of a recorded pod, with the opening of the job in which it was reported."""
        if tells_success(event) and self.job.run_of_pod(event.uid, cluster=event.cluster) is not None:
            self.successes.setdefault(event.uid, self.job.opening)

    def has_succeeded(self, run: JobRun) -> bool:
        """Whether its success was reported, and the job was not opened again after it."""
        return run.uid is not None and self.successes.get(run.uid) == self.job.opening

    def lease(self) -> None:
        live = [pod for pod in self.pods if pod.ours and pod.may_run]
        if live and self.terms.graceful_shutdown is GracefulShutdown.CONFIRMED:
            raise Broken(Guarantee.NEXT_RUN_AFTER_CONFIRMATION, f"{live} may run, and the next run is leased")
        if self.job.opening in self.endings:
            raise Broken(Guarantee.NO_RUN_AFTER_END, f"{self.job}")
        following, last = self.job.next, self.job.latest
        if following is not None and not following.granted and last is not None and self.has_succeeded(last):
            raise Broken(Guarantee.SUCCESS_BEFORE_NEXT_RUN, f"{last} succeeded, and the next run is leased")
        names = PodNames(by_run=not self.one_name)
        self.handle(Leased(run_id=self.new("run"), cluster=CLUSTER, terms=self.terms, names=names))

    def wait(self) -> Wait | None:
        return why_it_waits(self.job, self.now, retries_stopped=False)

    def confirmable(self) -> str | None:
        """The uid of a pod that the job waits for, and that a person finds gone."""
        wait = self.wait()
        uid = wait.uid if isinstance(wait, ForStop) else None
        return None if any(pod.uid == uid and (pod.exists or pod.alive) for pod in self.pods) else uid

    def confirm(self, uid: str) -> None:
        self.handle(Confirmed(cluster=CLUSTER, uid=uid, by=Confirmation.PERSON))

    # The cluster

    def deliver(self, message: Message) -> None:
        self.messages.remove(message)
        match message.body:
            case Create():
                self.create(message, message.body)
            case Start() | Stop() | Discard():
                pod = next(pod for pod in self.pods if pod.uid == message.body.uid)
                {Start: self.start, Stop: self.stop, Discard: self.discard}[type(message.body)](pod)
            case Inventory() | Ask():
                pass  # only replicas.py has agents that list
            case _:
                self.handle(message.body)

    def send(self, body: Command | Input) -> None:
        """Give the broker a command or a report. It may deliver it at any time, and again."""
        self.messages.append(Message(body))
        self.sent.append(body)

    def create(self, message: Message, command: Create) -> None:
        holder = self.holder(command) or self.make(command)
        if holder.run_id != command.run_id:
            self.wait_for_name(command, holder)
            if message not in self.messages:
                self.messages.append(message)
        self.observe(holder)

    def name_of(self, command: Create) -> str:
        """As the create says it, also if the job has forgotten the run."""
        run = self.job.run(command.run_id)
        return self.pod_names[command.run_id] if run is None else run.pod_name

    def holder(self, command: Create) -> Pod | None:
        """The pod that has the name of the new one."""
        name = self.name_of(command)
        return next((pod for pod in self.pods if pod.exists and pod.name == name), None)

    def make(self, command: Create) -> Pod:
        pod = Pod(self.new("uid"), command.run_id, self.name_of(command))
        self.pods.append(pod)
        return pod

    def wait_for_name(self, command: Create, holder: Pod) -> None:
        self.send(NameTaken(cluster=CLUSTER, run_id=command.run_id, uid=holder.uid))

    def start(self, pod: Pod) -> None:
        if pod.exists and pod.gated:
            pod.gated, pod.ours = False, True
        self.observe(pod)

    def stop(self, pod: Pod) -> None:
        if pod.exists and not pod.node:
            pod.deleting, pod.exists = True, False
        if not pod.exists or pod.shown in {"succeeded", "failed"}:
            self.answer(pod)
        else:
            pod.deleting = pod.stop_asked = True

    def answer(self, pod: Pod) -> None:
        shown = {"succeeded": StopAnswer.SUCCEEDED_BEFORE, "failed": StopAnswer.FAILED_BEFORE}
        answer = shown.get(pod.shown, StopAnswer.GONE if pod.node else StopAnswer.NEVER_STARTED)
        self.send(RunStopped(cluster=CLUSTER, uid=pod.uid, answer=answer, confirmed=pod.proof()))

    def discard(self, pod: Pod) -> None:
        if pod.gated:
            pod.deleting, pod.exists = True, False

    def observe(self, pod: Pod) -> None:
        """Report what the API server shows of a pod, or what was last seen of one that is gone."""
        self.send(self.seen(pod))

    def seen(self, pod: Pod) -> Input:
        if pod.shown == "succeeded":
            return PhaseReported(cluster=CLUSTER, uid=pod.uid, phase=RunPhase.SUCCEEDED, confirmed=pod.proof())
        if pod.gated and pod.exists:
            return RunCreated(cluster=CLUSTER, run_id=pod.run_id, uid=pod.uid)
        if pod.gated and pod.deleting:
            return GatedPodDeleted(cluster=CLUSTER, uid=pod.uid, verdict=Fail())
        if pod.shown == "failed" or pod.phase_failed or not pod.exists:
            return RunFailed(cluster=CLUSTER, uid=pod.uid, verdict=Fail(), confirmed=pod.proof())
        if not pod.shown:
            return PhaseReported(cluster=CLUSTER, uid=pod.uid, phase=RunPhase.PENDING)
        return PhaseReported(cluster=CLUSTER, uid=pod.uid, phase=RunPhase.RUNNING, node=pod.node)

    def unreachable(self, pod: Pod) -> bool:
        return pod.node == self.cut_off != ""

    def bind(self, pod: Pod) -> None:
        pod.node, pod.alive = "n2" if self.cut_off == "n1" else "n1", True
        live = [each.uid for each in self.pods if each.alive and each.ours]
        if len(live) > 1 and self.terms.graceful_shutdown is GracefulShutdown.CONFIRMED:
            raise Broken(Guarantee.NEXT_RUN_AFTER_CONFIRMATION, f"{live} live at the same time")

    def end(self, pod: Pod, how: str) -> None:
        pod.alive, pod.ended = False, how

    def sync(self, pod: Pod) -> None:
        """The kubelet writes the status, and removes a pod that was to be deleted and has ended."""
        pod.shown = pod.ended or "running"
        if pod.deleting and pod.ended:
            pod.exists = False
            if pod.stop_asked:
                self.answer(pod)

    # Until nothing happens any more

    def settled(self) -> bool:
        waiting = self.messages or self.outlived()
        return not waiting and self.job.state in FINAL and wakes_at(self.job, self.now) is None

    def outlived(self) -> list[Pod]:
        """The pods whose object is gone, and whose containers a kubelet has yet to stop: no command reaches them."""
        return [pod for pod in self.pods if pod.alive and not pod.exists]

    def drain(self, rounds: int = 60) -> None:
        """Let everything happen that is due, with a cluster that answers and people who look."""
        self.cut_off = ""
        for _ in range(rounds):
            if self.settled():
                break
            self.now += timedelta(hours=1)
            self.round()
        if self.job.state not in FINAL:
            raise Broken("every-job-ends", f"{self.job} with {self.messages}")
        self.check_effects()

    def round(self) -> None:
        for pod in self.pods:
            if not pod.alive and pod.may_run:
                self.bind(pod)
            self.come_to_an_end(pod)
            if pod.exists and pod.node:
                self.sync(pod)
            self.observe(pod)
        for message in list(self.messages):
            self.deliver(message)
        self.handle(TimePassed())
        uid = self.confirmable()
        if uid is not None:
            self.confirm(uid)
        if isinstance(self.wait(), ForCluster):
            self.lease()

    def come_to_an_end(self, pod: Pod) -> None:
        killed = pod.deleting or not pod.exists
        if pod.alive and (killed or not pod.burns):
            self.end(pod, "failed" if killed else "succeeded")

    def check_effects(self) -> None:
        """Every verdict had its effect, every effect its verdict, and nothing of an ended job runs."""
        ending, written = self.job.ending, self.endings.get(self.job.opening)
        if ending is None or ending != written or ending.state is not self.job.state:
            raise Broken(Guarantee.FIRST_ENDING_WINS, f"{self.job} ended by {written}")
        if {run.run_id: run.verdict for run in self.job.runs if run.verdict} != self.verdicts:
            raise Broken(Guarantee.ONE_VERDICT_PER_RUN, f"{self.job} has not {self.verdicts}")
        if any(pod.ours and pod.may_run for pod in self.pods):
            raise Broken(Guarantee.STOP_WITH_EVERY_END, f"{self.job} ended, and its pod runs")


def rejected(world: World, message: Message) -> None:
    """The API server has no room for the pod now."""
    world.messages.remove(message)
    if isinstance(message.body, Create):
        retry_at, run_id = world.now + BACKOFF, message.body.run_id
        rejection = RunRejected(cluster=CLUSTER, run_id=run_id, retry_at=retry_at, reason="quota")
        world.send(rejection)


def denied(world: World, message: Message) -> None:
    """The API server refuses the pod."""
    world.messages.remove(message)
    if isinstance(message.body, Create):
        failed = CreationFailed(cluster=CLUSTER, run_id=message.body.run_id, verdict=Fail())
        world.send(failed)
