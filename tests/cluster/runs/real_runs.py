"""Runs on a real API server, by hand: commands over an event log, and what an agent process answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Final

from agent.broker.connect import connect
from agent.broker.port import Message
from agent.core.run_command import CommandContent, ListRuns, RunCommand, StartRun, StopRun
from agent.core.run_event import PodReference, RunCreated, RunEvent, RunPhase, RunsListed
from agent.wire import commands as wire
from tests.cluster.real import Real
from tests.cluster.runs.commanding import POD, command, create
from tests.servers.patience import until

_COMMANDS: Final = "run-commands-real"


@dataclass(kw_only=True)
class RealRuns:
    """The scheduler of an agent that ``real`` started. Every run is one of its own job, with the same name."""

    real: Real
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    def wait_until_offered(self) -> None:
        """The agent knows the cluster, and has subscribed to commands."""
        until(lambda: any(beat.runs is not None for beat in self.real.heartbeats()), "runs offered")

    def send(self, content: CommandContent, *, run: str) -> None:
        self._send(command(content, cluster_id=self._cluster_id(), job=run, run=run), key=run)

    def list_runs(self, issued_at: datetime) -> RunsListed:
        """Ask for a list of all pods of runs, and wait for it; it must have one page."""
        self._send(ListRuns(cluster_id=self._cluster_id(), issued_at=issued_at), key="")
        until(lambda: any(page.as_of == issued_at for page in self.real.lists()), "the list")
        return next(page for page in self.real.lists() if page.as_of == issued_at)

    def _cluster_id(self) -> str:
        return str(self.real.client.get("/api/v1/namespaces/kube-system")["metadata"]["uid"])

    def _send(self, given: RunCommand | ListRuns, *, key: str) -> None:
        broker = connect(f"sqlite:///{self.real.folder}/log.db")
        producer = broker.producer(_COMMANDS, name="scheduler")
        message = Message(key=key, payload=wire.encode(given))
        producer.send(message, sequence_id=next(self._numbers), done=lambda _: None)
        producer.flush(60)
        broker.close()

    def create(self, run: str, *, pod: object = POD) -> PodReference:
        """Create the pod of a run, named as the run, behind our gate."""
        self.send(create(name=run, namespace=self.real.namespace, pod=pod), run=run)
        return self.told(run, RunCreated()).pod

    def start(self, run: str, *, pod: object = POD) -> PodReference:
        """Create a pod and remove its gate."""
        made = self.create(run, pod=pod)
        self.send(StartRun(made), run=run)
        self.told(run, RunPhase.PENDING)
        return made

    def run(self, run: str, *, pod: object = POD) -> PodReference:
        """Create a pod that runs."""
        made = self.start(run, pod=pod)
        self.told(run, RunPhase.RUNNING)
        return made

    def stop(self, pod: PodReference, *, run: str) -> None:
        self.send(StopRun(pod), run=run)

    def told(self, run: str, kind: object) -> RunEvent:
        """Wait for an event of the run that is this one, or of this type."""
        until(lambda: bool(self.of(run, kind)), f"{kind} of {run}")
        return self.of(run, kind)[0]

    def of(self, run: str, kind: object) -> Sequence[RunEvent]:
        """The events of the run that are this one, or of this type."""
        events = [event for event in self.real.events() if event.identity.run_id == run]
        return [
            event
            for event in events
            if event.event == kind or (isinstance(kind, type) and isinstance(event.event, kind))
        ]
