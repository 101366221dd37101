"""Events about runs that are no failures: how far the run is, and the answers to commands."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from agent.cluster.spool.entries import Answer, Report, event_report
from agent.core.run_event import (
    Confirmation,
    CreationFailed,
    Identity,
    NameHeld,
    PodReference,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunStopped,
)
from agent.observe.event_id import run_event_id

RunContent = RunPhase | RunCreated | RunStopped | RunRejected | CreationFailed | NameHeld


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What every event of this agent has in common. ``new_id`` makes an id that nothing had before."""

    cluster_id: str
    cluster: str
    clock: Callable[[], datetime]
    new_id: Callable[[], str]

    def report(
        self,
        identity: Identity,
        pod: PodReference,
        content: RunContent,
        *,
        confirmed: Confirmation | None = None,
        gated: bool = False,
    ) -> Report:
        """An event that has the same id whoever observes it, and that a pod or a run has once."""
        event_id = run_event_id(self.cluster_id, pod.uid or identity.run_id, _name(content))
        return self._wrap(event_id, identity, pod, content, confirmed=confirmed, gated=gated)

    def answer(
        self,
        identity: Identity,
        pod: PodReference,
        content: RunContent,
        *,
        confirmed: Confirmation | None = None,
        gated: bool = False,
    ) -> Answer:
        """An event that is published although the same was published before: somebody asked again."""
        return Answer(report=self._wrap(self.new_id(), identity, pod, content, confirmed=confirmed, gated=gated))

    def _wrap(
        self,
        event_id: str,
        identity: Identity,
        pod: PodReference,
        content: RunContent,
        *,
        confirmed: Confirmation | None,
        gated: bool,
    ) -> Report:
        now = self.clock()
        event = RunEvent(
            event_id=event_id,
            cluster_id=self.cluster_id,
            cluster=self.cluster,
            identity=identity,
            pod=pod,
            occurred_at=now,
            observed_at=now,
            event=content,
            confirmed=confirmed,
            gated=gated,
        )
        return event_report(event)


def _name(content: RunContent) -> str:
    """What tells it apart from all else that may happen to the same pod or run."""
    match content:
        case RunPhase():
            return content.value
        case RunCreated():
            return "created"
        case RunStopped():
            return "stopped"
        case RunRejected():
            return "rejected"
        case CreationFailed():
            return "creation-failed"
        case NameHeld(uid=uid):
            return f"name-held/{uid}"
        case _:
            assert_never(content)
