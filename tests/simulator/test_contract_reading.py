from uuid import UUID

import pytest

from agent.simulator.kinds import NAMESPACES
from agent.simulator.simulation import Options, Simulation
from tests.simulator.api import PODS, Api, Json, pod


def names(listed: Json) -> list[str]:
    return [item["metadata"]["name"] for item in listed["items"]]


async def test_a_list_has_its_kind_and_a_version(api: Api) -> None:
    await api.create(PODS, pod("a"))
    listed = await api.get(PODS)
    assert (listed["kind"], listed["apiVersion"]) == ("PodList", "v1")
    assert int(listed["metadata"]["resourceVersion"]) >= int(listed["items"][0]["metadata"]["resourceVersion"])


async def test_lists_are_by_namespace_or_of_all(api: Api) -> None:
    await api.create(PODS, pod("b"))
    await api.create("/api/v1/namespaces/other/pods", pod("a"))
    assert names(await api.get(PODS)) == ["b"]
    assert names(await api.get("/api/v1/pods")) == ["b", "a"]


async def test_pages_show_one_moment(api: Api) -> None:
    for name in "abcdefg":
        await api.create(PODS, pod(name))
    first = await api.get(PODS, limit=3)
    await api.create(PODS, pod("bb"))
    assert (await api.ask("DELETE", f"{PODS}/g"))[0] == 200
    second = await api.get(PODS, limit=10, continue_=first["metadata"]["continue"])

    assert names(first) + names(second) == list("abcdefg")
    assert first["metadata"]["resourceVersion"] == second["metadata"]["resourceVersion"]
    assert "continue" not in second["metadata"]


async def test_a_continue_token_that_is_too_old_is_gone_and_another_is_offered(api: Api) -> None:
    for name in "abc":
        await api.create(PODS, pod(name))
    first = await api.get(PODS, limit=1)
    await api.ask("POST", "/simulator/compact")
    await api.create(PODS, pod("d"))
    await api.ask("POST", "/simulator/compact")

    status, refusal = await api.ask("GET", PODS, continue_=first["metadata"]["continue"])
    assert (status, refusal["reason"], refusal["code"]) == (410, "Expired", 410)
    assert names(await api.get(PODS, continue_=refusal["metadata"]["continue"])) == ["b", "c", "d"]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("app=web", ["both", "web"]),
        ("app==web,tier=1", ["both"]),
        ("app!=web", ["bare", "db"]),
        ("app", ["both", "db", "web"]),
        ("!app", ["bare"]),
        ("app in (web, db)", ["both", "db", "web"]),
        ("app notin (web),app", ["db"]),
        ("app in (web),tier notin (1,2)", ["web"]),
    ],
)
async def test_label_selectors(api: Api, selector: str, found: list[str]) -> None:
    labels = {"web": {"app": "web"}, "db": {"app": "db"}, "both": {"app": "web", "tier": "1"}, "bare": {}}
    for name, each in labels.items():
        await api.create(PODS, pod(name, labels=each))
    assert names(await api.get(PODS, labelSelector=selector)) == found


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("metadata.name=a", ["a"]),
        ("spec.nodeName=n1", ["a", "b"]),
        ("spec.nodeName=n1,status.phase!=Failed", ["b"]),
        ("status.phase=Failed", ["a"]),
        ("spec.nodeName=", ["c"]),
    ],
)
async def test_field_selectors_of_pods(api: Api, selector: str, found: list[str]) -> None:
    await api.create(PODS, pod("a", node="n1"))
    await api.create(PODS, pod("b", node="n1"))
    await api.create(PODS, pod("c"))
    await api.patch(f"{PODS}/a/status", {"status": {"phase": "Failed"}})
    assert names(await api.get(PODS, fieldSelector=selector)) == found


async def test_field_selectors_of_events(api: Api) -> None:
    for name, kind, severity in (("e1", "Pod", "Warning"), ("e2", "Pod", "Normal"), ("e3", "Node", "Warning")):
        about = {"kind": kind, "name": "x", "uid": f"uid-{name}"}
        body = {"metadata": {"name": name}, "involvedObject": about, "type": severity, "reason": "Because"}
        await api.create("/api/v1/namespaces/default/events", body)
    assert names(await api.get("/api/v1/events", fieldSelector="involvedObject.kind=Pod,type=Warning")) == ["e1"]
    assert names(await api.get("/api/v1/events", fieldSelector="involvedObject.uid=uid-e3,reason=Because")) == ["e3"]


@pytest.mark.parametrize(
    "query",
    [{"fieldSelector": "status.message=x"}, {"labelSelector": "a=b=c"}, {"fieldSelector": "x"}, {"limit": "-1"}],
)
async def test_what_cannot_be_selected_is_a_bad_request(api: Api, query: dict[str, str]) -> None:
    status, refusal = await api.ask("GET", PODS, **query)
    assert (status, refusal["kind"], refusal["reason"]) == (400, "Status", "BadRequest")


async def test_it_is_healthy(api: Api) -> None:
    assert await api.text("/healthz") == "ok"
    assert await api.text("/readyz") == "ok"


async def test_a_cluster_keeps_its_identity_over_restarts_and_two_have_two() -> None:
    uids = []
    for cluster in ("one", "one", "two"):
        async with Simulation(Options(cluster=cluster)) as each:
            system = each.registry.store.get(NAMESPACES, ("", "kube-system"))
            assert system is not None
            uids.append(UUID(system["metadata"]["uid"]))
    assert uids[0] == uids[1] != uids[2]
