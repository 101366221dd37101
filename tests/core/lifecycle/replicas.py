"""The model with two schedulers as well: an outbox, a leader with a term, and transactions under the job's lock.

A scheduler reads, commits, and acknowledges. It may die between any two, or go on after another one took over.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from agent.core.lifecycle.advance import wakes_at
from agent.core.lifecycle.effects import Command, Create, Discard, Start, Stop, WriteVerdict
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import (
    CreationFailed,
    Input,
    NotCreated,
    PhaseReported,
    RunCreated,
    RunFailed,
    TimePassed,
)
from agent.core.lifecycle.inventory import Consumed, Inventory, absence_of, is_without_effect
from agent.core.lifecycle.job import Orphan, SubmittedJob
from agent.core.lifecycle.run import Fail, JobRun
from agent.core.lifecycle.state import FINAL
from agent.core.lifecycle.waits import ForCluster, ForOrphan
from agent.core.run_event import ListedRun, RunPhase
from tests.core.lifecycle.agents import COMMANDS, NEVER, Agent, Agents, Listing, Report
from tests.core.lifecycle.world import CLUSTER, Ask, Broken, Message, Pod

STEP: Final = timedelta(milliseconds=1)
"""Between two moves, so that the order of all is known."""

ABSENCE: Final = "absence"
"""What a conclusion from a list breaks that was wrong."""

ORPHAN: Final = "orphan"
"""What a run breaks that is leased while a pod runs under the name of an earlier one, as a list has said."""


@dataclass(slots=True, eq=False)
class Scheduler:
    """``epoch``: of its term, 0 on a standby. ``rows`` of the outbox and ``may_lease`` are what its pass has read.

    ``begun``: what a transaction is about, and the job as it was before the lock.
    """

    epoch: int = 0
    may_lease: bool = False
    rows: list[Message] = field(default_factory=list)
    begun: tuple[Message | Input, SubmittedJob] | None = None

    def forget(self) -> None:
        self.epoch, self.may_lease, self.rows, self.begun = 0, False, [], None


@dataclass
class Replicas(Agents):
    """``changed``: when each run changed last, by its id. ``strays``: pods that the latest list has under their names.

    ``listed_at``: as of when that list is.
    """

    schedulers: tuple[Scheduler, Scheduler] = field(default_factory=lambda: (Scheduler(), Scheduler()))
    epoch: int = 0
    changed: dict[str, datetime] = field(default_factory=dict)
    strays: set[str] = field(default_factory=set)
    listed_at: datetime = NEVER

    def handle(self, event: Input) -> None:
        before = self.job
        super().handle(event)
        changed = {run.run_id: self.now for run in self.job.runs if before.run(run.run_id) != run}
        self.changed.update(changed)

    def begin(self, scheduler: Scheduler, what: Message | Input) -> None:
        scheduler.begun = (what, self.job)

    def commit(self, scheduler: Scheduler, *, acknowledged: bool = True) -> None:
        """One transaction. The lock of the job is held from reading it to the commit."""
        assert scheduler.begun is not None
        what, read = scheduler.begun
        scheduler.begun = None
        self.job = self.under_lock(read)
        if not isinstance(what, Message):
            self.handle(what)
            return
        self.consume(what)
        if acknowledged:
            self.acknowledge(what)

    def under_lock(self, _: SubmittedJob) -> SubmittedJob:
        """The job as it is now, whatever was read before."""
        return self.job

    def consume(self, message: Message) -> None:
        match message.body:
            case Listing():
                self.see(message.body)
                self.conclude(message, message.body)
            case Create() | Start() | Stop() | Discard() | Ask() | Inventory():
                raise AssertionError(f"{message} is for an agent")
            case _:
                self.handle(message.body)

    def see(self, listing: Listing) -> None:
        """Take the pods in a list as created, and those that nobody started as orphans."""
        for listed in listing.seen:
            run = self.job.run_of_pod(listed.pod.uid, cluster=CLUSTER)
            counts = listed.gated if run is None else self.is_without_effect(listing, listed, run)
            if counts:
                self.handle(RunCreated(cluster=CLUSTER, run_id=listed.run_id, uid=listed.pod.uid))
        if listing.as_of > self.listed_at:
            self.listed_at = listing.as_of
            self.find_orphans(listing)

    def is_without_effect(self, listing: Listing, listed: ListedRun, run: JobRun) -> bool:
        return is_without_effect(listed, run, as_of=listing.as_of, changed_at=self.changed[run.run_id])

    def find_orphans(self, listing: Listing) -> None:
        vouched = {orphan.uid for orphan in self.job.orphans if not orphan.may_run}
        names = {run.pod_name for run in self.job.runs}
        found = [
            Orphan(
                cluster=CLUSTER,
                uid=listed.pod.uid,
                pod_name=listed.pod.name,
                node=listed.pod.node,
                since=self.now,
                may_run=listed.confirmed is None and listed.pod.uid not in vouched,
            )
            for listed in listing.seen
            if listed.pod.name in names and not (listed.gated or self.job.run_of_pod(listed.pod.uid, cluster=CLUSTER))
        ]
        self.strays = {orphan.uid for orphan in found if orphan.may_run}
        self.job = replace(self.job, orphans=tuple(found))

    def lease(self) -> None:
        running = [pod for pod in self.pods if pod.alive and pod.uid in self.strays]
        if running:
            raise Broken(ORPHAN, f"{running} run, and the next run is leased")
        super().lease()

    def vouch(self, uid: str) -> None:
        """A person is sure that an orphan does not run."""
        self.strays.discard(uid)
        self.confirm(uid)

    def conclude(self, message: Message, inventory: Inventory) -> None:
        run = self.job.open_run
        if run is None:
            return
        absence = absence_of(
            run, inventory, self.consumed(message), changed_at=self.changed[run.run_id], scopes=[self.job.job_id]
        )
        if absence is None:
            return
        self.story.append(absence)
        if run.uid is None:
            self.handle(NotCreated(run_id=run.run_id, as_of=inventory.as_of))
        else:
            self.check_missing(self.pod(run.uid), message)
            self.handle(RunFailed(cluster=CLUSTER, uid=run.uid, verdict=Fail()))

    def check_missing(self, pod: Pod, listed: Message) -> None:
        """It is gone, and nobody had said before the list that it succeeded.

        Where a person took our finalizer off, an agent may say so after the list. That ends the job too, unless
        its next run was leased.
        """
        success = PhaseReported(cluster=CLUSTER, uid=pod.uid, phase=RunPhase.SUCCEEDED, confirmed=pod.proof())
        if pod.exists or any(told.body == success for told in self.published[: listed.position]):
            raise Broken(ABSENCE, f"{pod} is said to be missing")

    def consumed(self, listed: Message) -> Consumed:
        """What the store has of the events that the broker had before it got the list."""
        waiting = any(message.position < listed.position for message in (*self.reports(), *self.late))
        return Consumed(up_to_date=not waiting, dead=[self.job.job_id] if self.dead else ())

    def run_id_of(self, body: Command | Report | Inventory | Ask) -> str:
        uid = getattr(body, "uid", "")
        return getattr(body, "run_id", "") or next((pod.run_id for pod in self.pods if pod.uid == uid), "")

    def publish_row(self, scheduler: Scheduler) -> None:
        """Send a row that was read, and delete it; one that another leader replaced only sends."""
        row = scheduler.rows.pop(0)
        self.put(row)
        if scheduler.epoch != self.epoch:
            scheduler.forget()
        elif row in self.outbox:
            self.outbox.remove(row)

    def take_over(self, scheduler: Scheduler) -> None:
        self.epoch += 1
        scheduler.epoch = self.epoch

    def ask(self, scheduler: Scheduler) -> None:
        if scheduler.epoch == self.epoch:
            self.outbox.append(Message(Ask(), self.now))

    def read(self, scheduler: Scheduler) -> None:
        scheduler.rows = list(self.outbox)
        scheduler.may_lease = isinstance(self.wait(), ForCluster)

    def lease_by(self, scheduler: Scheduler) -> None:
        """The transaction compares the epoch, and asks again."""
        scheduler.may_lease = False
        if scheduler.epoch != self.epoch:
            scheduler.forget()
        elif isinstance(self.wait(), ForCluster):
            self.lease()

    def write_verdict(self, job: SubmittedJob, event: Input, written: WriteVerdict) -> None:
        if isinstance(event, CreationFailed) and event.run_id not in self.denied:
            raise Broken(Guarantee.REJECTION_COUNTS_NOTHING, f"{written}, and the API server refused nothing")
        super().write_verdict(job, event, written)

    # Until nothing happens any more

    def settled(self) -> bool:
        waiting = any(agent.spool or agent.done or agent.taken for agent in self.agents)
        waiting |= bool(self.messages or self.outbox or self.late or self.dead or self.flying)
        return not (waiting or self.outlived()) and self.job.state in FINAL and wakes_at(self.job, self.now) is None

    def round(self) -> None:
        for create in list(self.flying):
            self.land(create)
        for pod in self.pods:
            self.live_on(pod)
        for agent in self.agents:
            for pod in self.pods:
                self.report(agent, pod)
            self.work_off(agent)
        for pod in self.pods:
            if self.may_be_released(pod):
                pod.exists = False
        self.messages, self.late, self.dead = self.messages + self.late + self.dead, [], []
        self.catch_up()
        self.handle(TimePassed())
        uid = self.confirmable()
        if uid is not None:
            self.confirm(uid)
        self.look_at_orphans()
        if isinstance(self.wait(), ForCluster):
            self.lease()
        for row in self.outbox:
            self.put(row)
        self.outbox = []

    def look_at_orphans(self) -> None:
        """A person deletes the pod that the job waits for, and a list says that it is gone."""
        wait = self.wait()
        if isinstance(wait, ForOrphan):
            stray = self.pod(wait.uid)
            stray.exists, stray.alive = False, False
        if self.job.state not in FINAL:
            self.outbox.append(Message(Ask(), self.now))

    def live_on(self, pod: Pod) -> None:
        if not pod.alive and pod.may_run:
            self.bind(pod)
        self.come_to_an_end(pod)
        if pod.exists and pod.node:
            self.sync(pod)

    def work_off(self, agent: Agent) -> None:
        """Do all commands and publish everything."""
        for message in [message for message in self.commands() if message not in agent.taken]:
            self.take(agent, message)
        for message in list(agent.taken):
            self.act(agent, message)
        for result in list(agent.done):
            self.spool(agent, result)
        while agent.spool:
            self.publish(agent)

    def catch_up(self) -> None:
        """Consume all reports."""
        for message in self.reports():
            self.consume(message)
            self.acknowledge(message)

    def commands(self) -> list[Message]:
        return [message for message in self.messages if isinstance(message.body, COMMANDS)]

    def reports(self) -> list[Message]:
        return [message for message in self.messages if not isinstance(message.body, COMMANDS)]
