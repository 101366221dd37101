"""One course of chaos: pods fail on a real API server while it and the agent are killed again and again."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from tests.chaos.failing import FailingPods
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until

_SETTLED_SECONDS: Final = 300.0
_WORKING_SECONDS: Final = 180.0
_LATEST_KILL_SECONDS: Final = 1.0


class Victim(StrEnum):
    """What is killed, always with SIGKILL."""

    AGENT = "agent"
    API_SERVER = "kube-apiserver"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many pods fail and what is killed how often; the order and the moments follow from ``seed``."""

    pods: int
    agent_kills: int
    server_kills: int
    seed: int

    def kills(self) -> list[Victim]:
        """What is killed, in order."""
        victims = [Victim.AGENT] * self.agent_kills + [Victim.API_SERVER] * self.server_kills
        random.Random(self.seed).shuffle(victims)  # noqa: S311 - an order to repeat, not a secret
        return victims


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """One kill: ``told`` is how many reports the event log had then."""

    victim: Victim
    at_seconds: float
    told: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. ``reports`` counts messages of the event log by pod, ``events`` by event id."""

    names: Sequence[str]
    kills: Sequence[Kill]
    reports: Counter[str]
    events: Counter[str]
    held: Sequence[str]
    seconds: float

    @property
    def never(self) -> list[str]:
        """Pods nobody was told of."""
        return [name for name in self.names if name not in self.reports]

    @property
    def repeated(self) -> list[str]:
        """Pods told of more than once, and events that are in the log more than once."""
        return [name for name, count in (*self.reports.items(), *self.events.items()) if count > 1]

    @property
    def holds(self) -> bool:
        """Whether every pod was told of exactly once, nothing else was, and nothing is held any longer."""
        strangers = self.reports.keys() - set(self.names)
        return not (self.never or self.repeated or strangers or self.held)


def run(plan: Plan, real: Real, plane: ControlPlane, *, say: Callable[[str], object]) -> Outcome:
    """Play it. Call from the main thread. Raises TimeoutError where it does not come to rest."""
    names = [f"pod-{number:05}" for number in range(plan.pods)]
    pods = FailingPods(client=real.client, namespace=real.namespace, names=names)
    pods.create()
    stage = _Stage(real, plane, plan)
    try:
        for kill, some in zip(plan.kills(), _shares(names, plan.agent_kills + plan.server_kills), strict=True):
            with pods.failing(some):
                stage.kill(kill)
            say(f"{stage.kills[-1].at_seconds:6.1f} s  {kill} killed, {stage.kills[-1].told} reports in the event log")
        stage.settle(pods)
        events = real.events()
        return Outcome(
            names=names,
            kills=stage.kills,
            reports=Counter(event.pod.name for event in events),
            events=Counter(event.event_id for event in events),
            held=pods.left(),
            seconds=stage.elapsed(),
        )
    finally:
        stage.agent.kill()


class _Stage:
    """The agent and the API server, alive again after each kill."""

    def __init__(self, real: Real, plane: ControlPlane, plan: Plan) -> None:
        self.kills: list[Kill] = []
        self._real = real
        self._plane = plane
        self._random = random.Random(plan.seed)  # noqa: S311 - moments to repeat, not secrets
        self._settings = real.settings(watch={"namespaces": [real.namespace]}, bounds={"unspooled": 50})
        self.agent = real.start(self._settings)
        self._began = time.monotonic()

    def elapsed(self) -> float:
        return time.monotonic() - self._began

    def kill(self, victim: Victim) -> None:
        """Kill soon after something was reported since the last kill, in the middle of the rest; and start it again.

        Raises TimeoutError where nothing is reported.
        """
        told = self.kills[-1].told if self.kills else 0
        until(lambda: len(self._real.events()) > told, f"more than {told} reports", seconds=_WORKING_SECONDS)
        time.sleep(self._random.uniform(0.0, _LATEST_KILL_SECONDS))
        self.kills.append(Kill(victim=victim, at_seconds=self.elapsed(), told=len(self._real.events())))
        match victim:
            case Victim.AGENT:
                self.agent.kill()
                log = self._settings.with_name(f"agent-{len(self.kills)}.log")
                self.agent = AgentProcess(self._settings, log=log)
            case Victim.API_SERVER:
                self._plane.kill_api_server()
                self._plane.mend()

    def settle(self, pods: FailingPods) -> None:
        """Wait until nothing is held and every pod was told of, or for as long as that may take."""
        until(
            lambda: not self.agent.has_ended() and not pods.left() and len(self._real.events()) >= len(pods.names),
            "every failure told and every pod let go",
            seconds=_SETTLED_SECONDS,
        )


def _shares(names: Sequence[str], number: int) -> Iterable[Sequence[str]]:
    return (names[index::number] for index in range(number))


def table(outcome: Outcome) -> str:
    """The outcome for people."""
    killed = Counter(kill.victim for kill in outcome.kills)
    once = sum(count == 1 for count in outcome.reports.values())
    rows = (
        ("pods that failed", len(outcome.names)),
        *((f"{victim} killed", killed[victim]) for victim in Victim),
        ("reports in the event log", outcome.reports.total()),
        ("event ids among them", len(outcome.events)),
        ("pods reported exactly once", once),
        ("pods never reported", len(outcome.never)),
        ("reported more than once", len(outcome.repeated)),
        ("pods still held", len(outcome.held)),
        ("seconds in all", round(outcome.seconds)),
    )
    return "\n".join(f"{what:<30}{number:>8,}" for what, number in rows)


def real_in(folder: Path, plane: ControlPlane, namespace: str) -> Real:
    """The namespace of a control plane, and a folder for the agent's files."""
    client = plane.client()
    return Real(client=client, namespace=namespace, kubeconfig=plane.kubeconfig(), folder=folder)
