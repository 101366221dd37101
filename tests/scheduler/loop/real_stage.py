"""The stage of real parts: kube-apiserver, kube-scheduler, kubelets, Pulsar, Postgres, and processes of ours.

The agent has the roles that are shipped, and no others. Only PodGC is played by hand: it takes a node for lost after
40 seconds.
"""

import json
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self, assert_never

from sqlalchemy import make_url

from agent.broker.connect import connect
from agent.broker.topics import JOB_EVENTS, commands_topic, events_topic
from agent.client import jobs as jobs_api
from agent.cluster.runs.in_hand import SUBSCRIPTION as AGENTS
from agent.core.identity.labels import JOB, JOB_SET, RUN_INDEX
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.state import State
from agent.scheduler.consume.handler import SUBSCRIPTION as SCHEDULERS
from agent.scheduler.effects.write import submitted
from agent.simulator.script import Stop
from agent.store import resources
from agent.store.store import Store
from agent.store.submitted import held
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real, metrics_of
from tests.deploy.roles import HOME, agents_account, make_roles
from tests.scheduler.following import FOLLOWER, assert_followed
from tests.scheduler.loop.outcomes import QUEUE, SCRIPTS, Request
from tests.scheduler.loop.playing import Jobs, about_to_vanish
from tests.scheduler.loop.whole import QUICK, quick_settings
from tests.scheduler.process import SchedulerProcess
from tests.servers.control_plane import ControlPlane
from tests.servers.kubelet.behaviour import ENDLESS, Behaviour, Course, fails
from tests.servers.kubelet.nodes import Nodes
from tests.servers.patience import until
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.simulator.api import Json
from tests.store.submitted.made import new_job, submit

_CLUSTER: Final = "real"
_COMMANDS: Final = commands_topic(_CLUSTER)
_EVENTS: Final = events_topic(_CLUSTER)
_READY_SECONDS: Final = 90.0
_SERVED: Final = "the API is served"
_OBEYED: Final = re.compile(r'command="(?P<command>[a-z]+)",outcome="done"')
_ENDLESSLY: Final = Behaviour(course=ENDLESS)
_DOES: Final[Mapping[str, Behaviour]] = {
    "ok": Behaviour(),
    "oom": Behaviour(course=fails(137, "OOMKilled")),
    "crash": Behaviour(course=fails(1)),
    "halt": Behaviour(course=Course(seconds=None, stop=Stop(after="700ms"))),
    "hang": _ENDLESSLY,
    "lost": _ENDLESSLY,
    "vanish": _ENDLESSLY,
}
_NO_ROOM: Final = {"hard": {"pods": "0"}}
_WRITTEN_OFF: Final = {
    "phase": "Failed",
    "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC"}],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Servers, of which the stage takes an empty part, and an empty folder."""

    plane: ControlPlane
    pulsar: PulsarNamespace
    store_url: str
    folder: Path


class RealStage:
    """Two schedulers, two agents, nodes for most jobs, and two for each run that is to be lost. For the main thread."""

    def __init__(self, site: Site) -> None:
        self._site: Final = site
        self._client: Final = site.plane.client()
        self._namespace: Final = f"jobs-{secrets.token_hex(4)}"
        self._full: Final = f"{self._namespace}-full"
        self._broker_url: Final = f"{site.pulsar.broker.url}/{site.pulsar.name}"
        self._job_ids: dict[str, str] = {}
        self._processes: list[AgentProcess] = []
        self._happened: set[str] = set()

    def __enter__(self) -> Self:
        with ExitStack() as building:
            for namespace in (self._namespace, self._full):
                self._client.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
            quotas = f"/api/v1/namespaces/{self._full}/resourcequotas"
            self._client.create(quotas, {"metadata": {"name": "none"}, "spec": _NO_ROOM})
            self._client.patch(f"{quotas}/none/status", {"status": {**_NO_ROOM, "used": {"pods": "0"}}})
            with closing(connect(self._broker_url)) as broker:
                broker.ensure_subscription(JOB_EVENTS, FOLLOWER)
            self._store = building.enter_context(Store.open(self._site.store_url))
            with self._store.write() as connection:
                resources.write(connection, QUEUE)
            self._nodes = building.enter_context(self._make_nodes())
            self._schedulers = [self._start_scheduler(building, number) for number in range(2)]
            until(lambda: all(each.is_ready() for each in self._schedulers), "schedulers ready", seconds=_READY_SECONDS)
            self._api = building.enter_context(jobs_api.connect(self._address(), who="ann"))
            self._stack = building.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def submit(self, scripts: Sequence[str]) -> None:
        now = datetime.now(UTC)
        with self._store.write() as connection:
            for script in scripts:
                self._job_ids[script] = f"{script}-{secrets.token_hex(3)}"
                namespace = self._full if "reject" in SCRIPTS[script] else self._namespace
                job = new_job(
                    self._job_ids[script], pod=_pod(script), job_set=script, namespace=namespace, submitted_at=now
                )
                submit(connection, job)
                submitted(connection, [job], now=now)

    def begin(self) -> None:
        make_roles(self._client, [self._namespace, self._full])
        self._start_agents()

    def _start_agents(self) -> None:
        """Start them, without waiting: what is to happen while the first runs begin must not be late."""
        account = agents_account(self._site.plane)
        real = Real(
            client=self._client, namespace=self._namespace, kubeconfig=account.kubeconfig, folder=self._site.folder
        )
        for number in range(2):
            settings = real.settings(
                f"agent-{number}",
                watch={"namespaces": [self._namespace, self._full]},
                broker=self._broker_settings(),
                lease={"namespace": HOME, "duration": 4, "renew": "1s"},
                run={"namespaces": [self._namespace, self._full], "maxRuns": 100},
                logTails={"namespaces": [self._namespace, self._full]},
                deadlines={"activeGrace": "0s"},
            )
            process = AgentProcess(settings, log=settings.with_suffix(".log"))
            self._processes.append(self._stack.enter_context(process))

    def jobs(self) -> Jobs:
        with self._store.read() as connection:
            found = held.load(connection, list(self._job_ids.values()))
        return {script: found[job_id].job for script, job_id in self._job_ids.items()}

    def ask(self, request: Request, job: SubmittedJob) -> None:
        match request:
            case Request.CANCEL:
                self._api.cancel([job.job_id])
            case Request.RETRY:
                self._api.retry([job.job_id])
            case Request.NEVER_RETRY:
                self._api.never_retry([job.job_id])
            case Request.CONFIRM_STOPPED:
                latest = job.latest
                assert latest is not None
                self._api.confirm_stopped([latest.run_id])
            case never:
                assert_never(never)

    def tend(self, jobs: Jobs) -> None:
        """Make room when a run was rejected, and lose the node of the run that is to be lost when it runs."""
        if jobs["rejected"].rejections and self._first("room"):
            self._client.delete(f"/api/v1/namespaces/{self._full}/resourcequotas/none")
        if jobs["lost"].state is State.RUNNING and self._first("lost"):
            path = self._lose_node(jobs["lost"].job_id)
            self._client.patch(f"{path}/status", {"status": _WRITTEN_OFF})
        if about_to_vanish(jobs) is not None and self._first("vanished"):
            self._vanish(jobs["vanishes"].job_id)

    def _first(self, what: str) -> bool:
        """Whether it did not happen yet; now it does."""
        seen, self._happened = what in self._happened, self._happened | {what}
        return not seen

    def _lose_node(self, job_id: str) -> str:
        """Lose the node on which the job's only pod runs; the path of the pod."""
        (pod,) = self._pods(labelSelector=f"{JOB}={job_id}")
        node = pod["spec"]["nodeName"]
        self._client.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})
        self._nodes.lose(node)
        return f"{self._path}/{pod['metadata']['name']}"

    def _vanish(self, job_id: str) -> None:
        """Agents that have never seen the pod take the place of those that have."""
        for number, process in enumerate(self._processes):
            process.kill()
            shutil.rmtree(self._site.folder / f"agent-{number}")
        path = self._lose_node(job_id)
        self._client.delete(path)
        self._client.patch(path, {"metadata": {"finalizers": []}})
        self._client.delete(path, gracePeriodSeconds=0)
        self._processes.clear()
        self._start_agents()

    def repeat_commands(self) -> None:
        """Have the broker deliver all commands again. The agent answers again, too."""
        until(lambda: all(process.is_ready() for process in self._processes), "agents ready", seconds=_READY_SECONDS)
        admin, before = self._site.pulsar.broker.admin, self._answered()
        admin.rewind(self._site.pulsar.topic(_COMMANDS), AGENTS)
        until(lambda: self._answered() > before and self._is_idle(), "all commands obeyed", seconds=_READY_SECONDS)

    def _answered(self) -> int:
        topic = self._site.pulsar.topic(_EVENTS)
        return int(self._site.pulsar.broker.admin.statistics(topic)["msgInCounter"])

    def _is_idle(self) -> bool:
        admin, topic = self._site.pulsar.broker.admin, self._site.pulsar.topic
        on_the_way = admin.backlog(topic(_COMMANDS), AGENTS) + admin.backlog(topic(_EVENTS), SCHEDULERS)
        return on_the_way == 0 and not any(pod["spec"].get("schedulingGates") for pod in self._pods())

    def lived(self) -> Mapping[str, int]:
        scripts = {job_id: script for script, job_id in self._job_ids.items()}
        return Counter(scripts[job_id] for job_id, _ in {(each.job_id, each.pod_uid) for each in self._nodes.ledger})

    def assert_followed(self) -> None:
        with closing(connect(self._broker_url)) as broker:
            assert_followed(self._store, broker, self._job_ids.values())

    def overlaps(self) -> Sequence[object]:
        return self._nodes.overlaps

    def missing_rights(self) -> set[str]:
        """What the agents may not do and have to, by their metrics."""
        return self._counted("failure_agent_missing_rights")

    def obeyed(self) -> set[str]:
        """Which commands the agents obeyed, by their metrics."""
        counted = self._counted("failure_agent_run_commands_total")
        return {found["command"] for name in counted if (found := _OBEYED.search(name))}

    def _counted(self, metric: str) -> set[str]:
        return {
            name
            for process in self._processes
            for name, value in metrics_of(process).items()
            if name.startswith(f"{metric}{{") and value
        }

    @property
    def _path(self) -> str:
        return f"/api/v1/namespaces/{self._namespace}/pods"

    def _pods(self, **query: str) -> Sequence[Json]:
        found: Sequence[Json] = self._client.get(self._path, **query)["items"]
        return found

    def _make_nodes(self) -> Nodes:
        pools = dict.fromkeys(("ordinary", "lost", "vanish"), ("first", "second"))
        labels = {f"{self._namespace}-{pool}-{name}": {"pool": pool} for pool, names in pools.items() for name in names}
        return Nodes(self._site.plane, [*labels], _behaviour, labels=labels)

    def _start_scheduler(self, stack: ExitStack, number: int) -> SchedulerProcess:
        folder = self._site.folder / f"scheduler-{number}"
        folder.mkdir()
        (password := folder / "password").write_text(make_url(self._site.store_url).password or "")
        settings = quick_settings(
            folder,
            broker=self._broker_settings(),
            store={
                "url": make_url(self._site.store_url)._replace(password=None).render_as_string(),
                "passwordFile": str(password),
            },
            runs={**QUICK["runs"], "interval": "100ms", "listInterval": "1s"},
        )
        process = SchedulerProcess(settings, log=folder / "log")
        stack.callback(process.end)
        return process

    def _broker_settings(self) -> Json:
        return {"url": self._broker_url, "pulsar": {"adminUrl": self._site.pulsar.broker.admin_url}}

    def _address(self) -> str:
        (port,) = [line["port"] for line in self._schedulers[0].logged() if line["event"] == _SERVED]
        return f"127.0.0.1:{port}"


def _pod(script: str) -> bytes:
    """The pod of a job: without an image it is refused, and one that halts has a deadline that its kubelet misses."""
    runs = SCRIPTS[script]
    container = {"name": "main"} if "refuse" in runs else {"name": "main", "image": "example"}
    spec: Json = {
        "containers": [container],
        "nodeSelector": {"pool": runs[0] if runs[0] in {"lost", "vanish"} else "ordinary"},
        "terminationGracePeriodSeconds": 2,
    }
    if "halt" in runs:
        spec["activeDeadlineSeconds"] = 1
    return json.dumps({"spec": spec}).encode()


def _behaviour(pod: Json) -> Behaviour:
    """What the script says of this run. Those that were rejected have the index of the next one."""
    meta = pod["metadata"]
    runs = [run for run in SCRIPTS[meta["annotations"][JOB_SET]] if run != "reject"]
    return _DOES[runs[min(int(meta["labels"][RUN_INDEX]), len(runs) - 1)]]
