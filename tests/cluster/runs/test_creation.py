"""Creates that meet what a simulated API server does not do by itself."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.cluster.pods.registry import PodRegistry
from agent.cluster.runs.answers import Answers, Waits
from agent.cluster.runs.creation import Creation, PodApi
from agent.cluster.runs.envelope import Envelope
from agent.cluster.runs.manifest import Allowed
from agent.cluster.spool.writer import SpoolWriter
from agent.core.run_event import CreationFailed, RunEvent
from agent.kube.errors import ApiError
from agent.kube.gated_pods import GatedPods
from agent.kube.objects import Pod
from agent.wire import events as wire
from tests.cluster.runs.commanding import command, create
from tests.cluster.spool.test_spool import open_spool
from tests.kube.cluster import Cluster, cluster
from tests.simulator.api import PODS

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ENVELOPE = Envelope(cluster_id="c", cluster="east", clock=lambda: NOW, new_id=lambda: "new")
COMMAND = command(create(), cluster_id="c")


class WithoutGates(GatedPods):
    """An admission webhook that removes gates stands between the agent and the API server."""

    async def create(self, namespace: str, body: Mapping[str, Any]) -> Pod:
        spec = {name: value for name, value in body["spec"].items() if name != "schedulingGates"}
        return await super().create(namespace, {**body, "spec": spec})


class Vanishing(GatedPods):
    """The pod that has the name is gone by the time somebody looks at it."""

    async def create(self, namespace: str, body: Mapping[str, Any]) -> Pod:
        message = f'pods "{body["metadata"]["name"]}" already exists in {namespace}'
        raise ApiError(409, "AlreadyExists", message)


@dataclass(kw_only=True)
class Made:
    """A creation whose answers can be read."""

    creation: Creation
    unsent: Any

    def answers(self) -> list[RunEvent]:
        return [wire.decode(row.payload) for row in self.unsent(after=0, at_most=10)]


@asynccontextmanager
async def creating(it: Cluster, folder: Path, pods: type[GatedPods]) -> AsyncIterator[Made]:
    spool = open_spool(folder)
    writer = SpoolWriter(spool, clock=lambda: NOW, at_most=10, waiting=10)
    writing = asyncio.create_task(writer.run(lambda _: None))
    api = replace(PodApi.of(it.connection), pods=pods(it.connection))
    allowed = Allowed(namespaces=("default",), service_accounts=())
    answers = Answers(ENVELOPE, writer, clean=lambda text: text)
    try:
        yield Made(
            creation=Creation(answers, api, registry=PodRegistry(), allowed=allowed), unsent=spool.unacknowledged
        )
    finally:
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        spool.close()


async def test_a_pod_whose_gate_was_removed_on_the_way_does_not_stay(tmp_path: Path) -> None:
    async with cluster() as it, creating(it, tmp_path, WithoutGates) as made:
        given = create()
        await made.creation.create(COMMAND, given)
        (answer,) = made.answers()
        (left,) = (await it.api.get(PODS))["items"]

    assert isinstance(answer.event, CreationFailed)
    assert answer.event.reason == "NoGate"
    assert left["metadata"]["deletionTimestamp"], "only our finalizer keeps it"


async def test_a_pod_whose_gate_was_removed_on_the_way_is_deleted_when_the_api_server_answers(tmp_path: Path) -> None:
    async with cluster() as it, creating(it, tmp_path, WithoutGates) as made:
        await it.api.add_fault(kind="status", verb="delete", resource="pods", code=503, times=1)
        with pytest.raises(ApiError):
            await made.creation.create(COMMAND, create())
        await made.creation.create(COMMAND, create())
        (answer,) = made.answers()
        (left,) = (await it.api.get(PODS))["items"]

    assert isinstance(answer.event, CreationFailed)
    assert left["metadata"]["deletionTimestamp"]


async def test_a_name_that_is_free_again_is_tried_again(tmp_path: Path) -> None:
    async with cluster() as it, creating(it, tmp_path, Vanishing) as made:
        with pytest.raises(Waits):
            await made.creation.create(COMMAND, create())
        assert made.answers() == []
