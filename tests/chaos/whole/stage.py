"""The stage of one round: agent, schedulers, broker and API server, alive again after each blow."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self, assert_never

import yaml
from sqlalchemy import make_url

from agent.broker.topics import events_topic
from agent.scheduler.consume.handler import SUBSCRIPTION
from agent.store.store import Store
from tests.chaos.failing import FailingPods
from tests.chaos.whole.audit import AUDITOR, count_verdicts, read_failures, read_topic, read_verdicts
from tests.chaos.whole.outcome import Outcome
from tests.chaos.whole.plan import RETRIES_OF_A_JOB, Blow, Plan, Victim, labels_of
from tests.chaos.whole.schedulers import UNREACHABLE, EndedByItself, Schedulers
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.servers.pulsar_namespace import PulsarNamespace

TOPIC: Final = events_topic("real")
_REST_SECONDS: Final = 0.05
_WORKING_SECONDS: Final = 180.0
_SETTLED_SECONDS: Final = 300.0
_POLICY: Final = {
    "apiVersion": "armadaproject.io/v1",
    "kind": "RetryPolicy",
    "metadata": {"name": "chaos"},
    "spec": {
        "rules": [
            {
                "name": "code",
                "action": "Retry",
                "retryLimit": RETRIES_OF_A_JOB,
                "onExitCodes": {"operator": "In", "values": [42]},
            }
        ]
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a round plays: a namespace of each server that is nobody else's, an empty store, and an empty folder."""

    plane: ControlPlane
    namespace: str
    pulsar: PulsarNamespace
    store_url: str
    folder: Path

    @property
    def broker_url(self) -> str:
        """The broker as settings name it."""
        return f"{self.pulsar.broker.url}/{self.pulsar.name}"


class Stage:
    """The processes of one round, from entering ``with`` to leaving it. For the main thread."""

    def __init__(self, site: Site, plan: Plan) -> None:
        self.pods: Final = FailingPods(
            client=site.plane.client(),
            namespace=site.namespace,
            names=plan.names(),
            labels=labels_of,
            rest=_REST_SECONDS,
        )
        self._site: Final = site
        self._plan: Final = plan
        self._began = time.monotonic()
        self._agents = 0
        self._agent_settings = _agent_settings(site)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._store = stack.enter_context(Store.open(self._site.store_url))
            self._start_agent()
            stack.callback(self._end_agent)
            self._schedulers = Schedulers(_scheduler_settings(self._site), logs=self._site.folder)
            stack.callback(self._schedulers.end)
            self._schedulers.wait_until_ready()
            self._until(self._agent.is_ready, "the agent ready", seconds=_WORKING_SECONDS)
            self._running = stack.pop_all()
        self._began = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()

    def decided(self) -> int:
        """How many runs are."""
        return count_verdicts(self._store)

    def strike(self, blow: Blow, *, decided: int) -> str:
        """Kill some time after more than ``decided`` runs are, in the middle of the rest; what was done, in words.

        Raises TimeoutError where nothing is decided.
        """
        self._until(lambda: self.decided() > decided, f"more than {decided} runs decided", seconds=_WORKING_SECONDS)
        time.sleep(blow.after)
        at, found = time.monotonic() - self._began, self.decided()
        for victim in blow.victims:
            self._kill(victim)
        self._mend(blow.victims)
        return f"{at:6.1f} s  {' and '.join(blow.victims)} killed, {found} runs decided"

    def settle(self) -> Outcome:
        """Wait until all is decided, let go of and acknowledged, or as long as that may take; and see what there is."""
        topic, admin = self._site.pulsar.topic(TOPIC), self._site.pulsar.broker.admin
        wanted = len(self._plan.names())
        self._until(lambda: self.decided() >= wanted, "every run decided", seconds=_SETTLED_SECONDS)
        self._until(lambda: not self.pods.left(), "every pod let go of", seconds=_SETTLED_SECONDS)
        self._until(lambda: admin.backlog(topic, SUBSCRIPTION) == 0, "all acknowledged", seconds=_SETTLED_SECONDS)
        return self.outcome()

    def outcome(self) -> Outcome:
        """What there is now."""
        seconds = time.monotonic() - self._began
        return Outcome(
            plan=self._plan,
            told=read_topic(self._site.broker_url, TOPIC),
            kept=read_failures(self._store),
            verdicts=read_verdicts(self._store),
            held=self.pods.left(),
            suppressed=self._schedulers.dropped(),
            seconds=seconds,
        )

    def _kill(self, victim: Victim) -> None:
        match victim:
            case Victim.AGENT:
                self._agent.kill()
                self._start_agent()
            case Victim.SCHEDULER:
                self._schedulers.kill()
            case Victim.PULSAR:
                self._site.pulsar.broker.kill()
            case Victim.API_SERVER:
                self._site.plane.kill_api_server()
            case never:
                assert_never(never)

    def _end_agent(self) -> None:
        self._agent.kill()

    def _start_agent(self) -> None:
        self._agents += 1
        self._agent = AgentProcess(self._agent_settings, log=self._site.folder / f"agent-{self._agents}.log")

    def _tend_agent(self) -> None:
        if not self._agent.has_ended():
            return
        if (code := self._agent.wait()) != UNREACHABLE:
            raise EndedByItself(f"the agent ended with {code}; its logs are in {self._site.folder}")
        self._start_agent()

    def _mend(self, victims: Sequence[Victim]) -> None:
        if Victim.API_SERVER in victims:
            self._site.plane.mend()
        if Victim.PULSAR in victims:
            self._site.pulsar.broker.mend()

    def _until(self, met: Callable[[], bool], what: str, *, seconds: float) -> None:
        def met_while_all_live() -> bool:
            self._tend_agent()
            self._schedulers.tend()
            return met()

        until(met_while_all_live, what, seconds=seconds)


def _agent_settings(site: Site) -> Path:
    client, kubeconfig = site.plane.client(), site.plane.kubeconfig()
    return Real(client=client, namespace=site.namespace, kubeconfig=kubeconfig, folder=site.folder).settings(
        broker={"url": site.broker_url}, subscriptions=[SUBSCRIPTION, AUDITOR], bounds={"unspooled": 50}
    )


def _scheduler_settings(site: Site) -> Path:
    address = make_url(site.store_url)
    policy, password, file = (site.folder / name for name in ("policy.yaml", "password", "scheduler.yaml"))
    policy.write_text(yaml.safe_dump(_POLICY))
    password.write_text(address.password or "")
    settings = {
        "broker": {"url": site.broker_url},
        "store": {"url": address._replace(password=None).render_as_string(), "passwordFile": str(password)},
        "scheduling": {"retryPolicy": {"enabled": True, "defaultPolicyName": "chaos"}},
        "policies": [str(policy)],
        "discover": "100ms",
        "api": {"port": 0},
        "health": {"port": 0},
    }
    file.write_text(yaml.safe_dump(settings))
    return file
