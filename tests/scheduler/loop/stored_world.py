"""The model of a job's life, in which the scheduler's part is the real one: its handler, its pass, and its store."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from agent.core.job_event import RequestKind
from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Command, Create, Discard, Refused, Start, Stop
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import (
    Cancel,
    Confirmed,
    CreationFailed,
    GatedPodDeleted,
    Input,
    Leased,
    LimitLowered,
    NameTaken,
    NeverRetry,
    PhaseReported,
    Retry,
    RunCreated,
    RunFailed,
    RunRejected,
    RunStopped,
    TimePassed,
)
from agent.core.lifecycle.waits import ForCluster
from agent.core.limit import VerdictAction
from agent.core.run_command import CommandContent, CreateRun, DiscardRun, StartRun, StopRun
from agent.core.run_event import Confirmation, Content, NameHeld, RunEvent
from agent.core.run_event import CreationFailed as Refusal
from agent.core.run_event import RunCreated as Created
from agent.core.run_event import RunRejected as Rejection
from agent.core.run_event import RunStopped as Stopped
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.write import write
from agent.scheduler.schedule.scheduling_pass import SchedulingPass
from agent.scheduler.schedule.terms import PassTerms
from agent.settings.scheduler import RunSettings
from agent.store import clusters
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.submitted.requests import JobRequest
from agent.store.tables.verdicts import table as verdict_table
from tests.core.lifecycle.world import Broken, World
from tests.scheduler.following import followed, stored
from tests.scheduler.path import decision_inputs
from tests.scheduler.runs import CLUSTER, Loop, heartbeat
from tests.store.events import failed

JOB: Final = "a"
REQUESTS: Final[Mapping[type[Input], RequestKind]] = {
    Cancel: RequestKind.CANCEL,
    Retry: RequestKind.RETRY,
    NeverRetry: RequestKind.NEVER_RETRY,
    Confirmed: RequestKind.CONFIRM_STOPPED,
}
RETRIES: Final = {"name": "ml", "defaultAction": "Retry", "retryLimit": 2}
HALT: Final = failed(containers=[])
END: Final = failed(containers=[{"name": "main", "exitCode": 1, "reason": "Error"}])


@dataclass
class StoredWorld(World):
    """A world over an empty store; the job in it is what the store has.

    Reports are handled in batches of ``batch``, or before the scheduler does something else.
    """

    batch: int = 1
    waiting: list[RunEvent] = field(init=False, default_factory=list)
    loop: Loop = field(init=False)
    seen_commands: int = field(init=False, default=0)

    def open(self, store: Store) -> "StoredWorld":
        self.loop = Loop(store, inputs=decision_inputs(RETRIES), now=self.now)
        self.loop.submit(JOB)
        settings = RunSettings(
            graceful_shutdown=self.terms.graceful_shutdown,
            lost_cluster=self.terms.lost_cluster,
            grace_period=self.terms.grace,
        )
        terms = PassTerms(inputs=self.loop.inputs, runs=settings)
        runs = count()
        self.scheduling = SchedulingPass(
            store, terms=lambda: terms, clock=lambda _: self.now, new_run_id=lambda: f"run{next(runs)}"
        )
        return self

    def handle(self, event: Input) -> None:
        """Have the scheduler do what it does on this input, in its own words."""
        self.loop.now = self.now
        match event:
            case TimePassed() | Leased():
                self.flush()
                self.run_pass()
            case Confirmed():
                self.flush()
                self.request(replace(event, cluster=CLUSTER))
            case Cancel() | Retry() | NeverRetry() | LimitLowered():
                self.flush()
                self.request(event)
            case _:
                self.waiting.append(self.report(event))
                if len(self.waiting) >= self.batch:
                    self.flush()
        self.observe_store()

    def flush(self) -> None:
        if self.waiting:
            self.loop.handle(*self.waiting)
            self.waiting = []
            self.observe_store()

    def settled(self) -> bool:
        self.flush()
        return super().settled()

    def lease(self) -> None:
        """Only the pass leases; the model checks first that it may."""
        self.flush()
        if self.job.opening in self.endings:
            raise Broken(Guarantee.NO_RUN_AFTER_END, f"{self.job}")
        self.handle(TimePassed())

    def run_pass(self) -> None:
        with self.loop.store.write() as connection:
            clusters.record(connection, heartbeat(), received_at=self.now)
        waited = self.wait()
        before = len(self.job.runs)
        self.scheduling.run(lambda _: None)
        leased = len(self.loop.job(JOB).runs) > before
        if leased and not isinstance(waited, ForCluster):
            raise Broken(Guarantee.NEXT_RUN_AFTER_CONFIRMATION, f"leased, though it waited for {waited}")

    def request(self, event: Input) -> None:
        with self.loop.store.decide([JOB]) as connection:
            loaded = held.load(connection, [JOB])[JOB]
            result = advance(loaded.job, event, self.now)
            if isinstance(result, Refused):
                return
            advanced = Advanced.of(loaded).by(result)
            if (kind := REQUESTS.get(type(event))) is not None and advanced.job != loaded.job:
                asked = JobRequest(job_id=JOB, kind=kind, by="ann", reason="", at=self.now)
                advanced = advanced.asked(asked)
            write(connection, [advanced], now=self.now)

    def report(self, event: Input) -> RunEvent:
        uid = getattr(event, "uid", "") if not isinstance(event, NameTaken) else ""
        pod = next((pod for pod in self.pods if pod.uid == uid), None)
        run_id = event.run_id if isinstance(event, RunCreated | RunRejected | CreationFailed | NameTaken) else ""
        content = content_of(event)
        confirmed: Confirmation | None = getattr(event, "confirmed", None)
        gated = isinstance(event, RunCreated | GatedPodDeleted)
        return self.loop.event(
            content,
            None if pod is None else 0,
            JOB,
            uid=uid,
            run_id=run_id or (pod.run_id if pod is not None else ""),
            event_id=f"{uid or run_id}/{type(event).__name__}/{type(content).__name__}/{confirmed}/{gated}",
            confirmed=Confirmation.NEVER_BOUND if isinstance(event, GatedPodDeleted) else confirmed,
            gated=gated,
        )

    def observe_store(self) -> None:
        """Send the new commands, and check what was written."""
        self.job = self.loop.job(JOB)
        commands = self.loop.commands()
        for run_id, content in commands[self.seen_commands :]:
            self.send(command_of(run_id, content))
        self.seen_commands = len(commands)
        with self.loop.store.read() as connection:
            rows = connection.execute(verdict_table.select().where(verdict_table.c.job_id == JOB))
            actions = {row.run_id: row.action for row in rows}
        verdicts = {run.run_id: run.verdict for run in self.job.runs if run.verdict is not None}
        if {run_id: action_of(verdict) for run_id, verdict in verdicts.items()} != actions:
            raise Broken(Guarantee.ONE_VERDICT_PER_RUN, f"{verdicts} are not {actions}")
        if any(self.verdicts.get(run_id, verdict) != verdict for run_id, verdict in verdicts.items()):
            raise Broken(Guarantee.ONE_VERDICT_PER_RUN, f"{self.verdicts} became {verdicts}")
        self.verdicts = verdicts
        told = followed(self.loop.job_events())[JOB]
        if told != (stands := stored(self.loop.store, [JOB])[JOB]):
            raise Broken("job-events", f"{told} is not {stands}")
        if self.job.ending is not None:
            known = self.endings.setdefault(self.job.opening, self.job.ending)
            if known != self.job.ending:
                raise Broken(Guarantee.FIRST_ENDING_WINS, f"{known} became {self.job.ending}")


def action_of(verdict: object) -> str:
    return VerdictAction.RETRY.value if hasattr(verdict, "at") else VerdictAction.FAIL.value


def content_of(event: Input) -> Content:  # noqa: PLR0911 - a line for each kind
    """What an agent sends for it."""
    match event:
        case RunCreated():
            return Created()
        case PhaseReported(phase=phase):
            return phase
        case RunFailed():
            return END
        case GatedPodDeleted():
            return HALT
        case RunStopped(answer=answer):
            return Stopped(answer=answer)
        case RunRejected(reason=reason):
            return Rejection(reason=reason, message="")
        case CreationFailed():
            return Refusal(reason="Invalid", message="")
        case NameTaken(uid=uid):
            return NameHeld(uid=uid)
        case _:
            raise AssertionError(f"no agent sends {event}")


def command_of(run_id: str, content: CommandContent) -> Command:
    match content:
        case CreateRun(index=index):
            return Create(cluster=CLUSTER, run_id=run_id, index=index, attempt=0)
        case StartRun(pod=pod):
            return Start(cluster=CLUSTER, run_id=run_id, uid=pod.uid)
        case StopRun(pod=pod):
            return Stop(cluster=CLUSTER, run_id=run_id, uid=pod.uid)
        case DiscardRun(pod=pod):
            return Discard(cluster=CLUSTER, run_id=run_id, uid=pod.uid)
