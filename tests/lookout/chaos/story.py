"""What happens to jobs, as agents and the scheduler report it: messages by topic, drawn from a seed."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final, NamedTuple

from msgspec.structs import replace

from agent.broker.port import Message
from agent.broker.topics import JOB_EVENTS, events_topic, heartbeat_topic
from agent.core.evidence import LogTail
from agent.core.failure import Failure, Occurrence, Origin
from agent.core.heartbeat import Heartbeat
from agent.core.job_event import (
    JobContent,
    JobEvent,
    JobRequested,
    JobSubmitted,
    RequestKind,
    RunDecided,
    RunLeased,
    StateChanged,
)
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction
from agent.core.run_event import Amendment, Content, LoadedRule, RuleSetLoaded, RunCreated, RunEvent, RunPhase
from agent.wire import events, heartbeat, job_event
from tests.lookout.chaos import hostile
from tests.scheduler.path import message
from tests.store.events import START, event, failed

CLUSTER: Final = "east"
TOPICS: Final = (JOB_EVENTS, events_topic(CLUSTER), heartbeat_topic(CLUSTER))
_EVENTS: Final = events_topic(CLUSTER)
_CATEGORIES: Final = (["oom"], ["gpu", "oom"], ["none"], ["preempted", "node"], ["code"])
_HOSTILE: Final = 0.1
"""The share of run events in which a text is hostile."""


class Sent(NamedTuple):
    """A message, and the topic that it goes to."""

    topic: str
    message: Message


def told(draw: Random, *, jobs: int) -> list[Sent]:
    """All messages about so many jobs, and about their cluster, in the order in which things happen."""
    return [*_of_cluster(draw), *(sent for number in range(jobs) for sent in _Job(draw, number).told())]


def delivered(draw: Random, sent: Sequence[Sent]) -> list[Sent]:
    """The messages in any order, and a third of them a second time."""
    several = [*sent, *draw.sample(sent, len(sent) // 3)]
    draw.shuffle(several)
    return several


def _of_cluster(draw: Random) -> Iterator[Sent]:
    for number in range(5):
        beat = Heartbeat(
            cluster_id="cluster-uid",
            cluster=CLUSTER,
            epoch=number // 2,
            incarnation=f"i{number}",
            spool_id="s",
            last_spooled=draw.randint(0, 9),
            last_acknowledged=0,
            sent_at=START + timedelta(seconds=number),
        )
        yield Sent(heartbeat_topic(CLUSTER), Message(key=CLUSTER, payload=heartbeat.encode(beat)))
        rule = LoadedRule(
            name=f"n{number}", pack="p", category="oom", rule_index=number, subcategory="", origin=Origin.USER
        )
        loaded = RuleSetLoaded(
            event_id=f"rules-{number}",
            cluster_id="cluster-uid",
            cluster=CLUSTER,
            revision="v1",  # rules that no cluster has any more are pruned
            categories=("oom",),
            loaded_at=START + timedelta(minutes=number),
            rules=(rule,),
        )
        yield Sent(_EVENTS, Message(key=CLUSTER, payload=events.encode_rule_set(loaded)))


class _Job:
    """One job with one to three runs."""

    def __init__(self, draw: Random, number: int) -> None:
        self._draw = draw
        self._id = f"job-{number}"
        self._seconds = number * 97.0
        self._events = 0

    def told(self) -> Iterator[Sent]:
        yield self._decided(JobSubmitted(name="train", client_id="c", priority=2.0), State.QUEUED)
        runs = self._draw.randint(1, 3)
        for attempt in range(runs):
            yield from self._run(attempt, last=attempt == runs - 1)
        if self._draw.random() < 0.2:
            yield self._decided(JobRequested(kind=RequestKind.CANCEL, by="ann", reason="enough"), State.CANCELLED)

    def _run(self, attempt: int, *, last: bool) -> Iterator[Sent]:
        run = f"{self._id}-{attempt}"
        leased = RunLeased(
            run_id=run, index=attempt, attempt=attempt, cluster_id="cluster-uid", cluster=CLUSTER, pod_name=f"pod-{run}"
        )
        yield self._decided(leased, State.LEASED)
        yield self._reported("created", run, attempt, RunCreated())
        yield self._reported("running", run, attempt, RunPhase.RUNNING)
        if last and self._draw.random() < 0.5:
            yield self._reported("succeeded", run, attempt, RunPhase.SUCCEEDED)
            yield self._decided(StateChanged(), State.SUCCEEDED)
            return
        yield from self._failures(run, attempt)
        action = VerdictAction.FAIL if last else VerdictAction.RETRY
        decided = RunDecided(
            run_id=run, attempt=attempt, failure_id=f"{run}-failed", action=action, reason="rule", sentence="It is so."
        )
        yield self._decided(decided, State.FAILED if last else State.RETRY_WAITING)

    def _failures(self, run: str, attempt: int) -> Iterator[Sent]:
        if self._draw.random() < 0.3:
            yield self._reported("restarted", run, attempt, self._failure(Occurrence.CONTAINER_RESTARTED))
        yield self._reported("failed", run, attempt, self._failure(Occurrence.POD_FAILED))
        if self._draw.random() < 0.4:
            yield self._reported("deleted", run, attempt, self._failure(Occurrence.DELETED_EXTERNALLY))
        for name in ("amended", "amended-again")[: self._draw.choice([0, 0, 1, 2])]:
            late = Amendment(amends=f"{run}-failed", failure=self._failure(Occurrence.POD_FAILED))
            yield self._reported(name, run, attempt, late)

    def _failure(self, occurrence: Occurrence) -> Failure:
        found = failed(occurrence, categories=self._draw.choice(_CATEGORIES), origin=self._draw.choice([*Origin]).value)
        tail = LogTail(container="main", text=f"{self._id} says {self._draw.random()}\n", previous=False)
        return replace(found, log_tails=(tail,))

    def _now(self) -> float:
        self._seconds += self._draw.randint(1, 900)
        return self._seconds

    def _reported(self, name: str, run: str, attempt: int, content: Content) -> Sent:
        found = event(f"{run}-{name}", content, run=run, job=self._id, attempt=attempt, after=self._now())
        node = self._draw.choice(["", "node-1", "node-2"])
        return Sent(_EVENTS, self._written(replace(found, pod=replace(found.pod, node=node))))

    def _written(self, found: RunEvent) -> Message:
        if self._draw.random() >= _HOSTILE:
            return message(found)
        return Message(key=found.identity.scope, payload=hostile.drawn(found, self._draw))

    def _decided(self, content: JobContent, state: State) -> Sent:
        self._events += 1
        found = JobEvent(
            event_id=f"{self._id}-{self._events}",
            job_id=self._id,
            sequence=self._events,
            at=self._at(),
            event=content,
            queue="ml",
            job_set="set",
            owner="ann",
            namespace="jobs",
            state=state,
        )
        return Sent(JOB_EVENTS, Message(key=self._id, payload=job_event.encode(found)))

    def _at(self) -> datetime:
        return START + timedelta(seconds=self._now())
