"""What keeps a pod from being created, and what an old server makes of one."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from agent.simulator.kinds import EVENTS, NAMESPACES, PODS
from agent.simulator.simulation import Options, Simulation
from tests.simulator.api import PODS as PATH
from tests.simulator.api import Api, Json, pod
from tests.simulator.playing import playing, shipped, until

_, SCRIPTS = shipped()


def gated() -> Json:
    made = pod("a")
    return {**made, "spec": {**made["spec"], "schedulingGates": [{"name": "example.dev/start"}]}}


@pytest.fixture
async def old() -> AsyncIterator[Api]:
    async with Simulation(Options(gates=False)) as simulation, aiohttp.ClientSession() as session:
        yield Api(session, simulation.url)


@pytest.mark.parametrize("query", [{}, {"dryRun": "All"}])
async def test_an_old_server_drops_scheduling_gates(old: Api, api: Api, query: dict[str, str]) -> None:
    for server, kept in ((old, False), (api, True)):
        status, made = await server.ask("POST", PATH, body=gated(), **query)
        assert (status, "schedulingGates" in made["spec"]) == (201, kept)
        assert [each["reason"] for each in made["status"].get("conditions", ())] == ["SchedulingGated"] * kept


async def test_what_cannot_be_a_pod_is_invalid_for_an_old_server_too(old: Api) -> None:
    assert (await old.ask("POST", PATH, body={"metadata": {"name": "a"}}))[0] == 422


@pytest.mark.parametrize(
    ("fault", "code", "reason", "part"),
    [
        ({"kind": "quota"}, 403, "Forbidden", 'pods "a" is forbidden: exceeded quota: pods, requested: '),
        ({"kind": "quota", "text": "gpus, requested: "}, 403, "Forbidden", "exceeded quota: gpus, requested: "),
        ({"kind": "webhook", "text": "no owner"}, 400, "", "denied the request: no owner"),
        ({"kind": "webhook", "webhook": "deny.example.dev"}, 400, "", 'webhook "deny.example.dev" denied'),
        ({"kind": "status", "code": 422}, 422, "Invalid", "asked to answer 422"),
        ({"kind": "status", "code": 500}, 500, "InternalError", "asked to answer 500"),
    ],
)
async def test_a_creation_is_refused_as_often_as_was_asked(
    api: Api, fault: dict[str, str | int], code: int, reason: str, part: str
) -> None:
    await api.add_fault(verb="create", resource="pods", times=1, **fault)
    status, refused = await api.ask("POST", PATH, body=pod("a"))
    assert (status, refused.get("reason", "")) == (code, reason)
    assert part in refused["message"]
    assert (await api.ask("POST", PATH, body=pod("a")))[0] == 201


async def test_an_answer_is_lost_after_the_pod_is_created_or_changed(api: Api) -> None:
    path = f"{PATH}/a"
    await api.add_fault(kind="lost", verb="create", resource="pods", times=1)
    with pytest.raises(aiohttp.ClientConnectionError):
        await api.create(PATH, pod("a"))
    assert "labels" not in (await api.get(path))["metadata"]
    await api.add_fault(kind="lost", verb="patch", resource="pods", times=1)
    with pytest.raises(aiohttp.ClientConnectionError):
        await api.patch(path, {"metadata": {"labels": {"x": "1"}}})
    assert (await api.get(path))["metadata"]["labels"] == {"x": "1"}


async def test_pods_in_a_namespace_that_is_being_deleted_go_on() -> None:
    async with playing(None, SCRIPTS) as simulation:
        meta = {"name": "mine", "annotations": {"simulator.failure-agent.dev/script": "image-not-found"}}
        body = {"metadata": meta, "spec": {"containers": [{"name": "main", "image": "a"}]}}
        simulation.registry.create(PODS, body, namespace="default")
        simulation.registry.delete(NAMESPACES, ("", "default"), {})
        again = simulation.registry.delete(NAMESPACES, ("", "default"), {})
        await until(simulation, lambda: len([*simulation.registry.store.all(EVENTS)]) > 3)

    assert again["status"]["phase"] == "Terminating"
