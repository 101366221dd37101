"""From the event log to Pulsar by one line: both processes, on a broker that wants tokens over TLS."""

import asyncio
import io
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from agent.broker.connect import connect
from agent.console.exits import Exit
from agent.ctl.broker.check import BrokerCheckRequest, run_check
from agent.settings.pulsar import PulsarSettings
from agent.store.store import Store
from tests.cluster.living import CATEGORIES, Living, eventually, living
from tests.cluster.process import AgentProcess, run
from tests.scheduler.path import verdicts_of
from tests.scheduler.process import POLICY, SchedulerProcess
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.servers.pulsar_security import SecurePulsarBroker

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pulsar")]

PULSAR = "pulsar: {{tokenFile: {folder}/{role}.token, caFile: {ca}}}"
AGENT = """\
cluster: east
kube: {{url: "{kube}"}}
categories: {folder}/categories.yaml
broker:
  url: "sqlite:///{folder}/log.db"
  {pulsar}
spool: {{path: {folder}/spool.db}}
evidenceWait: 0s
health: {{port: 0}}
"""
SCHEDULER = """\
broker:
  url: "sqlite:///{folder}/log.db"
  {pulsar}
store: {{url: "sqlite:///{folder}/store.db"}}
scheduling: {{retryPolicy: {{enabled: true, defaultPolicyName: ml}}}}
api: {{port: 0}}
policies: [{folder}/ml.yaml]
discover: 100ms
health: {{port: 0}}
"""


class Site:
    """Two settings files and what they name."""

    def __init__(self, folder: Path, *, kube: str, broker: SecurePulsarBroker) -> None:
        self._folder = folder
        (folder / "categories.yaml").write_text(CATEGORIES)
        (folder / "ml.yaml").write_text(POLICY)
        for role, text in (("agent", AGENT), ("scheduler", SCHEDULER)):
            (folder / f"{role}.token").write_text(broker.token(role))
            pulsar = PULSAR.format(folder=folder, role=role, ca=broker.authority.certificate)
            self.settings(role).write_text(text.format(folder=folder, kube=kube, pulsar=pulsar))

    def settings(self, role: str) -> Path:
        return self._folder / f"{role}.yaml"

    def switch(self, url: str) -> None:
        """Change one line in each."""
        for role in ("agent", "scheduler"):
            file = self.settings(role)
            before = file.read_text()
            file.write_text(re.sub(r"(?m)^  url: .*$", f'  url: "{url}"', before))
            changed = [
                old for old, new in zip(before.splitlines(), file.read_text().splitlines(), strict=True) if old != new
            ]
            assert len(changed) == 1

    @property
    def store_url(self) -> str:
        return f"sqlite:///{self._folder}/store.db"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Both processes, ready; told to stop at the end, which they do in order."""
        scheduler = SchedulerProcess(self.settings("scheduler"), log=self._folder / "scheduler.log")
        agent = AgentProcess(self.settings("agent"), log=self._folder / "agent.log")
        try:
            await eventually(lambda: asyncio.to_thread(lambda: agent.is_ready() and scheduler.is_ready()))
            yield
            agent.signal(signal.SIGTERM)
            assert await asyncio.to_thread(agent.wait) == 0
            assert await asyncio.to_thread(scheduler.terminate) == 0
        finally:
            agent.kill()
            scheduler.end()


async def fail(life: Living, name: str) -> None:
    await life.create(name)
    await life.fail(name)


async def until_decided(site: Site, count: int) -> None:
    with Store.open(site.store_url) as store:
        await eventually(lambda: asyncio.to_thread(lambda: len(verdicts_of(store)) >= count))
        assert len(verdicts_of(store)) == count


async def test_one_line_switches_from_the_event_log_to_pulsar_with_token_and_tls(
    secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace, tmp_path: Path
) -> None:
    for role in ("agent", "scheduler"):
        secure_pulsar.admin.grant(secure_namespace.name, role, ["produce", "consume"])
    url = f"{secure_pulsar.url}/{secure_namespace.name}"
    async with living(tmp_path) as life:
        site = Site(tmp_path, kube=life.simulation.url, broker=secure_pulsar)
        async with site.running():
            await fail(life, "by-the-event-log")
            await until_decided(site, 1)
        await fail(life, "while-nobody-runs")

        site.switch(url)

        for request in (
            BrokerCheckRequest(cluster=site.settings("agent")),
            BrokerCheckRequest(scheduler=site.settings("scheduler")),
        ):
            code, told = await asyncio.to_thread(checked, request)
            assert (code, "wrong" in told) == (Exit.FINE, False), told
        async with site.running():
            await until_decided(site, 2)
            await fail(life, "by-pulsar")
            await until_decided(site, 3)

    trusted = PulsarSettings(token_file=tmp_path / "scheduler.token", ca_file=secure_pulsar.authority.certificate)
    with closing(connect(url, trusted)) as broker:
        assert list(broker.topics("")) == [
            "cluster-heartbeats-east",
            "job-events",
            "run-events-east",
            "run-events-east-scheduler-dlq",
        ]
    assert secure_pulsar.admin.backlog(secure_namespace.topic("run-events-east"), "scheduler") == 0


async def test_a_topic_of_another_cluster_is_refused_at_start(
    secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace, tmp_path: Path
) -> None:
    secure_pulsar.admin.grant(secure_namespace.name, "agent", ["produce", "consume"])
    url = f"{secure_pulsar.url}/{secure_namespace.name}"
    async with living(tmp_path) as life:
        site = Site(tmp_path, kube=life.simulation.url, broker=secure_pulsar)
        site.switch(url)
        trusted = PulsarSettings(token_file=tmp_path / "agent.token", ca_file=secure_pulsar.authority.certificate)
        with closing(connect(url, trusted)) as broker:
            broker.claim("run-events-east", owner="another-cluster")

        ended = await asyncio.to_thread(run, "cluster", "--settings", str(site.settings("agent")))

    assert ended.returncode == 2
    assert "run-events-east belongs to another-cluster" in ended.stderr
    assert "failctl broker release run-events-east" in ended.stderr


def checked(request: BrokerCheckRequest) -> tuple[Exit, str]:
    """What ``failctl broker check`` says, with whose settings a process has."""
    out = io.StringIO()
    return run_check(request, environ={}, out=out), out.getvalue()
