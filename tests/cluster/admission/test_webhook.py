"""The webhook of a whole agent, and the process that has only that, on a simulated cluster.

The simulated API server asks no webhook: the test does, and writes what the webhook answered.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.cluster.admission.answers import ConditionAnswers
from agent.cluster.admission.process import make_process
from agent.cluster.config.files import Configuration
from agent.cluster.config.rules import read_rules, rules_file
from agent.core import failure as core
from agent.core.failure import Failure
from agent.core.identity.conditions import INFRASTRUCTURE, of_category
from agent.kube.connection import Connection
from agent.process.server_clock import ServerClock
from agent.telemetry import admission_metrics as metrics
from tests.cluster.admission.patience import SETTING
from tests.cluster.admission.reviews import applied, body
from tests.cluster.admission.serving import Served
from tests.cluster.living import Living, Running, eventually, failed, living
from tests.servers.authority import Authority
from tests.simulator.api import PODS, Json, pod

pytestmark = pytest.mark.slow

JOB = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "job-1", "controller": True}
RULES = """
errorCategories:
  order: evidence
  categories:
    - name: gpu
      origin: infra
      retry: elsewhere
      condition: true
      rules: [{onPodError: {pattern: no healthy devices}, proof: device}]
    - name: app
      origin: user
      rules: [{onLogTail: {pattern: KeyError}}]
"""
LOST = {"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": "Allocate failed: no healthy devices"}
BOTH = (of_category("gpu"), INFRASTRUCTURE)


@dataclass(frozen=True)
class Webhook:
    """What a test asks, in the place of the API server."""

    life: Living
    served: Served

    async def fail(self, name: str, status: Mapping[str, Any]) -> Json:
        """Write the status of a pod that fails, with what the webhook adds; the written status."""
        old = await self.life.api.get(f"{PODS}/{name}")
        new = {**old, "status": {**old.get("status", {}), **status}}
        code, answer = await self.served.post(body(object=new, oldObject=old))
        assert code == 200, answer
        assert json.loads(answer)["response"]["allowed"] is True
        written: Json = applied(new, answer)["status"]
        await self.life.set_status(name, written)
        return written


def admission_settings(folder: Path, **more: object) -> tuple[Authority, dict[str, object]]:
    authority = Authority(folder / "keys")
    certificate = authority.issue("webhook")
    files = {"certificateFile": str(certificate.certificate), "keyFile": str(certificate.key)}
    return authority, {"port": 0, **files, **SETTING, **more}


def types_in(status: Json) -> tuple[str, ...]:
    return tuple(sorted(condition["type"] for condition in status.get("conditions", ())))


async def shown(life: Living, answers: ConditionAnswers | None) -> Json:
    """Create a pod of a Job, and wait until the watch has shown it."""
    created = await life.api.create(PODS, pod("a", ownerReferences=[JOB]))
    assert answers is not None
    await eventually(lambda: answers._pods.index(created["metadata"]["uid"]) is not None)
    return created


def served_by(running: Running, authority: Authority) -> Served:
    server = running.agent.watch_set.admission
    assert server is not None
    return Served(server=server, authority=authority)


async def reported(life: Living) -> Failure:
    await life.until_reported(1)
    (event,) = life.events()
    assert isinstance(event.event, Failure)
    return event.event


async def test_a_pod_gets_its_conditions_and_the_report_names_them(tmp_path: Path) -> None:
    authority, settings = admission_settings(tmp_path)
    async with living(tmp_path) as life, life.agent(text=RULES, admission=settings) as running:
        webhook = Webhook(life, served_by(running, authority))
        await shown(life, running.agent.answers)

        status = await webhook.fail("a", LOST)
        failure = await reported(life)

    assert types_in(status) == BOTH
    assert status["reason"] == LOST["reason"]
    assert failure.admission == core.Admission(conditions=BOTH)
    assert (failure.classification.category, failure.classification.grade) == ("gpu", "proven")


async def test_a_report_that_disagrees_says_so_and_is_counted(tmp_path: Path) -> None:
    before = metrics.DISAGREED.labels(INFRASTRUCTURE)._value.get()
    said = [{"type": INFRASTRUCTURE, "status": "True", "reason": "gpu", "message": "GPU is lost"}]
    async with living(tmp_path) as life, life.agent(text=RULES):
        await life.api.create(PODS, pod("a", ownerReferences=[JOB]))
        await life.set_status("a", {**failed(code=1, message="KeyError"), "conditions": said})
        failure = await reported(life)

    assert failure.admission == core.Admission(conditions=(INFRASTRUCTURE,), disagreeing=(INFRASTRUCTURE,))
    assert metrics.DISAGREED.labels(INFRASTRUCTURE)._value.get() - before == 1


async def test_in_shadow_mode_only_the_report_says_what_a_pod_would_have_got(tmp_path: Path) -> None:
    authority, settings = admission_settings(tmp_path, shadow=True)
    async with living(tmp_path) as life, life.agent(text=RULES, admission=settings) as running:
        webhook = Webhook(life, served_by(running, authority))
        await shown(life, running.agent.answers)

        status = await webhook.fail("a", LOST)
        failure = await reported(life)

    assert types_in(status) == ()
    assert failure.admission == core.Admission(conditions=BOTH, shadow=True)


async def test_in_mode_daemonset_the_agent_of_the_node_reports_it_and_serves_no_webhook(tmp_path: Path) -> None:
    _, settings = admission_settings(tmp_path, shadow=True)
    mode: dict[str, Any] = {
        "mode": "daemonset",
        "node": {"name": "n1"},
        "lease": {"namespace": "default", "name": "agent"},
    }
    async with living(tmp_path) as life, life.agent(text=RULES, admission=settings, **mode) as running:
        await life.api.create(PODS, pod("a", node="n1", ownerReferences=[JOB]))
        await life.set_status("a", LOST)
        failure = await reported(life)

        assert running.agent.watch_set.admission is None
    assert failure.admission == core.Admission(conditions=BOTH, shadow=True)


async def test_requests_leave_nothing_in_the_agent(tmp_path: Path) -> None:
    authority, settings = admission_settings(tmp_path)
    async with living(tmp_path) as life, life.agent(text=RULES, admission=settings) as running:
        served = served_by(running, authority)
        created = await shown(life, running.agent.answers)
        made_up = {**created, "metadata": {**created["metadata"], "uid": "made-up"}, "status": LOST}

        for asked in (made_up, {**created, "status": LOST}):
            assert (await served.post(body(object=asked, oldObject=created, dryRun=True)))[0] == 200
            assert (await served.post(body(object=asked, oldObject=created)))[0] == 200
        await asyncio.sleep(0.2)

        assert running.spooled() == 0
        assert len(running.agent.watch_set.informers.pods[0].cache) == 1
    assert life.reported() == []


async def test_a_standby_answers_too(tmp_path: Path) -> None:
    authority, settings = admission_settings(tmp_path)
    lease = {"namespace": "default", "name": "agent"}
    async with (
        living(tmp_path) as life,
        life.agent(text=RULES, lease=lease, spool={"path": str(tmp_path / "a.db")}) as leader,
    ):
        await eventually(lambda: leader.agent.leadership.epoch is not None)
        spool = {"path": str(tmp_path / "b.db")}
        async with life.agent(text=RULES, admission=settings, lease=lease, spool=spool) as standby:
            webhook = Webhook(life, served_by(standby, authority))
            await shown(life, standby.agent.answers)

            assert standby.agent.leadership.epoch is None
            assert types_in(await webhook.fail("a", LOST)) == BOTH
            await life.until_reported(1)


async def test_a_process_of_its_own_answers_with_no_spool_and_no_broker(tmp_path: Path) -> None:
    authority, written = admission_settings(tmp_path)
    async with living(tmp_path, log=False) as life:
        settings = life.settings(text=RULES, admission=written)
        rules = read_rules(rules_file(settings), settings.redaction)
        async with await Connection.open(settings.kube) as connection:
            process = make_process(Configuration(settings=settings, rules=rules), connection, ServerClock())
            asked = asyncio.Event()
            running = asyncio.create_task(process.run(asked))
            webhook = Webhook(life, Served(server=process.server, authority=authority))
            await shown(life, process.answers)
            status = await webhook.fail("a", LOST)
            asked.set()
            await running

        assert types_in(status) == BOTH
        assert not settings.spool.path.exists()
