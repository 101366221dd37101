"""Submitted jobs as a test drives them: what the scheduler wrote and sent, and what agents report."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from msgspec import structs
from sqlalchemy import select

from agent.broker.port import Delivery, Message
from agent.broker.topics import COMMANDS
from agent.core.heartbeat import Heartbeat, RunOffer
from agent.core.job_event import JobEvent
from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Step
from agent.core.lifecycle.inputs import Input, Leased
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import RunTerms
from agent.core.run_command import CommandContent, CreateRun, DiscardRun, RunCommand, StartRun, StopRun
from agent.core.run_event import (
    Confirmation,
    Content,
    Identity,
    ListedRun,
    PodReference,
    RunEvent,
    RunPhase,
    RunsListed,
)
from agent.scheduler.consume.batch import DecisionInputs
from agent.scheduler.consume.handler import Decisions
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.write import submitted, write
from agent.store import clusters, outbox
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.tables.verdicts import table as verdict_table
from agent.wire import commands, events
from tests.core.lifecycle.made import CONFIRMED, T0
from tests.scheduler.following import written
from tests.scheduler.path import decision_inputs, delivery, message
from tests.store.submitted.made import new_job, submit

CLUSTER = "id-east"
POD = json.dumps(
    {"spec": {"containers": [{"name": "main", "resources": {"limits": {"memory": "1Gi"}, "requests": {}}}]}}
).encode()


OFFER = RunOffer(namespaces=("jobs",), max_runs=100)


def heartbeat(name: str = "east", *, runs: RunOffer | None = OFFER) -> Heartbeat:
    return Heartbeat(
        cluster_id=f"id-{name}",
        cluster=name,
        epoch=1,
        incarnation="i",
        spool_id="s",
        last_spooled=0,
        last_acknowledged=0,
        runs=runs,
    )


@dataclass
class Loop:
    """A scheduler's store with time and events of its own. Pods are named after their run's number: ``u0``, ``u1``."""

    store: Store
    inputs: DecisionInputs = field(default_factory=decision_inputs)
    now: datetime = T0
    events: int = 0

    def __post_init__(self) -> None:
        self.decisions = Decisions(self.store, inputs=self.inputs, clock=lambda _: self.now)
        with self.store.write() as connection:
            clusters.record(connection, heartbeat(), received_at=self.now)

    def submit(self, job_id: str = "j", **given: Any) -> None:
        job = new_job(job_id, **{"pod": POD, **given})
        with self.store.decide([job_id]) as connection:
            submit(connection, job)
            submitted(connection, [job], now=self.now)

    def take(self, event: Input, job_id: str = "j") -> None:
        """What the pass and people do."""
        with self.store.decide([job_id]) as connection:
            loaded = held.load(connection, [job_id])[job_id]
            step = advance(loaded.job, event, self.now)
            assert isinstance(step, Step), step
            write(connection, [Advanced.of(loaded).by(step)], now=self.now)

    def lease(self, number: int = 0, job_id: str = "j", *, terms: RunTerms = CONFIRMED) -> None:
        self.take(Leased(run_id=f"{job_id}-r{number}", cluster=CLUSTER, terms=terms), job_id)

    def event(self, content: Content, number: int | None = 0, job_id: str = "j", **envelope: Any) -> RunEvent:
        """An event as the agent sends it; ``uid`` is another pod with the labels of the run; no number: no pod."""
        self.events += 1
        uid = envelope.pop("uid", "" if number is None else f"{job_id}-u{number}")
        run_id = envelope.pop("run_id", f"{job_id}-r{number or 0}")
        return RunEvent(
            **{
                "event_id": f"e{self.events}",
                "cluster_id": CLUSTER,
                "cluster": "east",
                "identity": Identity(job_id=job_id, run_id=run_id, queue="what labels say"),
                "pod": PodReference(namespace="jobs", name=f"pod-{uid}", uid=uid, node="n1"),
                "occurred_at": self.now,
                "observed_at": self.now,
                "event": content,
                **envelope,
            }
        )

    def handle(self, *events: RunEvent) -> None:
        """One batch."""
        self.decisions.handle([delivery(message(event)) for event in events])

    def tell(self, content: Content, number: int | None = 0, job_id: str = "j", **envelope: Any) -> RunEvent:
        """A batch of one event."""
        event = self.event(content, number, job_id, **envelope)
        self.handle(event)
        return event

    def listed(self, pod: int | str = 0, job_id: str = "j", **given: Any) -> ListedRun:
        """A pod in a list: that of a run by its number, or another one with the labels of the first."""
        number, uid = (pod, f"{job_id}-u{pod}") if isinstance(pod, int) else (0, pod)
        return ListedRun(
            **{
                "pod": PodReference(namespace="jobs", name=f"pod-{number}", uid=uid, node="n1"),
                "job_id": job_id,
                "run_id": f"{job_id}-r{number}",
                "queue": "ml",
                "phase": RunPhase.RUNNING,
                "gated": False,
                **given,
            }
        )

    def pages(
        self, *pages: Sequence[ListedRun], as_of: datetime | None = None, unknown: bool = False
    ) -> list[Delivery]:
        """A list in pages, whole if all are handled; as of now, or of ``as_of``, or ``unknown``."""
        self.events += 1
        lists = [
            RunsListed(
                event_id=f"l{self.events}/{number}",
                cluster_id=CLUSTER,
                cluster="east",
                list_id=f"l{self.events}",
                page=number,
                pages=len(pages),
                as_of=None if unknown else as_of or self.now,
                listed_at=self.now,
                runs=tuple(page),
            )
            for number, page in enumerate(pages)
        ]
        return [delivery(Message(key=CLUSTER, payload=events.encode_list(page))) for page in lists]

    def see(self, *runs: ListedRun, as_of: datetime | None = None, unknown: bool = False) -> None:
        """A list of one page."""
        self.decisions.handle(self.pages(runs, as_of=as_of, unknown=unknown))

    def job(self, job_id: str = "j") -> SubmittedJob:
        with self.store.read() as connection:
            return held.load(connection, [job_id])[job_id].job

    def memory(self, job_id: str = "j") -> dict[str, Any]:
        with self.store.read() as connection:
            return dict(held.load(connection, [job_id])[job_id].memory)

    def verdicts(self) -> dict[str, str]:
        with self.store.read() as connection:
            return {row.run_id: row.action for row in connection.execute(verdict_table.select())}

    def sent(self) -> list[str]:
        """The commands sent so far, in words, such as ``create j-r0``, ``start j-u0``."""
        return [in_words(run_id, content) for run_id, content in self.commands()]

    def commands(self) -> Sequence[tuple[str, CommandContent]]:
        sent = map(commands.decode_any, self._commands())
        return [(command.run_id, command.command) for command in sent if isinstance(command, RunCommand)]

    def job_events(self) -> Sequence[JobEvent]:
        """All so far, in the order in which they were written."""
        return written(self.store)

    def _commands(self) -> Sequence[bytes]:
        to_clusters = outbox.table.c.topic.startswith(COMMANDS)
        query = select(outbox.table.c.payload).where(to_clusters).order_by(outbox.table.c.id)
        with self.store.read() as connection:
            return connection.scalars(query).all()

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def in_words(run_id: str, content: CommandContent) -> str:
    match content:
        case CreateRun():
            return f"create {run_id}"
        case StartRun(pod=pod):
            return f"start {pod.uid}"
        case StopRun(pod=pod):
            return f"stop {pod.uid}"
        case DiscardRun(pod=pod):
            return f"discard {pod.uid}"


def with_uid(event: RunEvent, uid: str) -> RunEvent:
    return structs.replace(event, pod=structs.replace(event.pod, uid=uid))


CONTAINERS = Confirmation.CONTAINERS
