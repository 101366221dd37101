"""A real API server, agents as processes of their own beside it, and a real event log behind them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from agent.core.heartbeat import Heartbeat
from agent.core.run_event import RunEvent, RunsListed
from agent.kube.finalizer import FINALIZER
from agent.wire import heartbeat
from tests.cluster.process import AgentProcess
from tests.cluster.run_events import published, run_events, run_lists
from tests.servers.client import Client
from tests.servers.patience import until
from tests.servers.statuses import ended
from tests.simulator.api import Json, pod

CATEGORIES: Final = """
errorCategories:
  defaultCategory: unknown
  categories:
    - {name: code, rules: [{onExitCodes: {operator: In, values: [42]}}]}
    - {name: volume, rules: [{onPodEvents: {regexp: "mount failed", type: Warning}}]}
    - {name: log, rules: [{onLogTail: {pattern: "out of tape"}}]}
"""


@dataclass(frozen=True, kw_only=True)
class Real:
    """A namespace of an API server, asked as admin, and a folder for files of agents."""

    client: Client
    namespace: str
    kubeconfig: Path
    folder: Path

    @property
    def pods(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"

    def create(self, name: str, *, held: bool = False, **more: Any) -> Json:
        return self.client.create(self.pods, pod(name, finalizers=[FINALIZER] if held else [], **more))

    def fail(self, name: str, code: int = 42) -> None:
        self.client.patch(f"{self.pods}/{name}/status", ended(code))

    def get(self, name: str) -> Json | None:
        answer = self.client.ask("GET", f"{self.pods}/{name}")
        return answer.json() if answer.status == 200 else None

    def is_held(self, name: str) -> bool:
        found = self.get(name)
        return found is not None and FINALIZER in found["metadata"].get("finalizers", [])

    def settings(self, name: str = "agent", **more: object) -> Path:
        """A settings file of an agent called ``name``, which has its own spool and the common event log."""
        (self.folder / "categories.yaml").write_text(CATEGORIES)
        given = {
            "cluster": "real",
            "kube": {"kubeconfig": str(self.kubeconfig)},
            "watch": {"namespaces": [self.namespace]},
            "categories": str(self.folder / "categories.yaml"),
            "broker": {"url": f"sqlite:///{self.folder}/log.db"},
            "spool": {"path": str(self.folder / name / "spool.db")},
            "evidenceWait": "0s",
            "heartbeat": {"interval": "500ms"},
            "health": {"port": 0},
            **more,
        }
        file = self.folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump({key: value for key, value in given.items() if value is not None}))
        return file

    def start(self, settings: Path, *, program: str = "agent") -> AgentProcess:
        """An agent that is ready. Whoever starts it ends it."""
        log = settings.with_suffix(".log")
        process = AgentProcess(settings, log=log, program=program)
        try:
            until(lambda: process.has_ended() or process.is_ready(), "the agent ready", seconds=60)
            assert not process.has_ended(), log.read_text()
        except BaseException:
            process.kill()
            raise
        return process

    @contextmanager
    def agent(self, settings: Path, *, program: str = "agent") -> Iterator[AgentProcess]:
        with self.start(settings, program=program) as process:
            yield process

    def events(self) -> list[RunEvent]:
        """Every event that was published, from the first on."""
        return run_events(self._published("run-events-real"))

    def lists(self) -> list[RunsListed]:
        """Every page of lists of the pods of runs."""
        return run_lists(self._published("run-events-real"))

    def heartbeats(self) -> list[Heartbeat]:
        return [heartbeat.decode(payload) for payload in self._published("cluster-heartbeats-real")]

    def reported(self) -> Counter[str]:
        """How often each pod was told of."""
        return Counter(event.pod.name for event in self.events())

    def until_reported(self, *names: str, seconds: float = 60.0) -> None:
        until(lambda: set(names) <= self.reported().keys(), f"told of {', '.join(names)}", seconds=seconds)

    def _published(self, topic: str) -> list[bytes]:
        return published(self.folder / "log.db", topic)


def metrics_of(process: AgentProcess) -> Mapping[str, float]:
    """The metrics of a process, by name with labels."""
    lines = process.ask("/metrics")[1].splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[:1] != "#")}
