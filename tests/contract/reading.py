"""Scenarios: lists, pages and selectors."""

from tests.contract.stage import Scenario, Stage
from tests.simulator.api import Json, pod

FAILED: Json = {"status": {"phase": "Failed"}}


def names(listed: Json) -> list[str]:
    """Whom a list names."""
    return [item["metadata"]["name"] for item in listed["items"]]


async def a_list_says_its_kind_once(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a", labels={"app": "web"}))
    listed = await stage.server.get(stage.pods)
    found = await stage.server.get(f"{stage.pods}/a")
    assert (listed["kind"], listed["apiVersion"]) == ("PodList", "v1")
    assert not {"kind", "apiVersion"} & listed["items"][0].keys()
    assert {**listed["items"][0], "kind": "Pod", "apiVersion": "v1"} == made == found
    assert int(listed["metadata"]["resourceVersion"]) >= int(made["metadata"]["resourceVersion"])


async def an_empty_list_is_a_list(stage: Stage) -> None:
    assert (await stage.server.get(stage.pods))["items"] == []
    assert (await stage.server.get(stage.pods, limit=5))["items"] == []


async def pages_show_one_moment(stage: Stage) -> None:
    for name in "abcdefg":
        await stage.server.create(stage.pods, pod(name))
    first = await stage.server.get(stage.pods, limit=3)
    await stage.server.create(stage.pods, pod("bb"))
    await stage.server.delete(f"{stage.pods}/g")
    second = await stage.server.get(stage.pods, limit=3, continue_=first["metadata"]["continue"])
    third = await stage.server.get(stage.pods, limit=3, continue_=second["metadata"]["continue"])
    assert names(first) + names(second) + names(third) == list("abcdefg")
    assert len({each["metadata"]["resourceVersion"] for each in (first, second, third)}) == 1
    assert (first["metadata"]["remainingItemCount"], second["metadata"]["remainingItemCount"]) == (4, 1)
    assert not {"continue", "remainingItemCount"} & third["metadata"].keys()


async def pages_of_a_selection_do_not_say_how_many_remain(stage: Stage) -> None:
    for number in range(6):
        await stage.server.create(stage.pods, pod(f"p{number}", labels={"odd": str(number % 2)}))
    first = await stage.server.get(stage.pods, limit=2, labelSelector="odd=1")
    token = first["metadata"]["continue"]
    second = await stage.server.get(stage.pods, limit=2, labelSelector="odd=1", continue_=token)
    assert (names(first), names(second)) == (["p1", "p3"], ["p5"])
    assert "remainingItemCount" not in first["metadata"]


async def an_old_continue_token_is_gone_and_another_is_offered(stage: Stage) -> None:
    for name in "abc":
        await stage.server.create(stage.pods, pod(name))
    first = await stage.server.get(stage.pods, limit=1)
    await stage.server.create(stage.pods, pod("d"))
    await stage.keeper.forget()
    token = first["metadata"]["continue"]
    gone = await stage.server.ask("GET", stage.pods, limit=1, continue_=token)
    assert (gone.status, gone.body["reason"]) == (410, "Expired")
    rest = await stage.server.get(stage.pods, continue_=gone.body["metadata"]["continue"])
    assert names(rest) == ["b", "c", "d"]


async def nonsense_is_no_continue_token(stage: Stage) -> None:
    assert (await stage.server.ask("GET", stage.pods, continue_="nonsense")).status == 400


async def what_cannot_be_understood_is_a_bad_request(stage: Stage) -> None:
    for query in ({"fieldSelector": "status.message=x"}, {"fieldSelector": "x"}, {"labelSelector": "a=b=c"}):
        assert (await stage.server.ask("GET", stage.pods, **query)).status == 400, query


async def labels_select(stage: Stage) -> None:
    labels = {"web": {"app": "web"}, "db": {"app": "db"}, "both": {"app": "web", "tier": "1"}, "bare": {}}
    for name, each in labels.items():
        await stage.server.create(stage.pods, pod(name, labels=each))
    for selector, found in {
        "app=web": ["both", "web"],
        "app==web,tier=1": ["both"],
        "app!=web": ["bare", "db"],
        "app": ["both", "db", "web"],
        "!app": ["bare"],
        "app in (web, db)": ["both", "db", "web"],
        "app notin (web),app": ["db"],
        "app in (web),tier notin (1,2)": ["web"],
        "nothing=": [],
    }.items():
        assert names(await stage.server.get(stage.pods, labelSelector=selector)) == found, selector


async def fields_of_pods_select(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a", node="n1"))
    await stage.server.create(stage.pods, pod("b", node="n1"))
    await stage.server.create(stage.pods, pod("c"))
    await stage.server.patch(f"{stage.pods}/a/status", FAILED)
    for selector, found in {
        "metadata.name=a": ["a"],
        "spec.nodeName=n1": ["a", "b"],
        "spec.nodeName=n1,status.phase!=Failed": ["b"],
        "status.phase=Failed": ["a"],
        "spec.nodeName=": ["c"],
        "spec.restartPolicy=Never,metadata.name!=a": ["b", "c"],
    }.items():
        assert names(await stage.server.get(stage.pods, fieldSelector=selector)) == found, selector


async def what_is_not_there_is_not_found(stage: Stage) -> None:
    for path in (f"{stage.pods}/nobody", "/api/v1/namespaces/nowhere", "/api/v1/nodes/nowhere", f"{stage.leases}/none"):
        assert (await stage.server.ask("GET", path)).status == 404, path
    assert (await stage.server.ask("GET", "/api/v1/unicorns")).status == 404
    assert (await stage.server.ask("GET", "/apis/example.dev/v1/unicorns")).status == 404
    assert names(await stage.server.get("/api/v1/namespaces/nowhere/pods")) == []


SCENARIOS: tuple[Scenario, ...] = (
    a_list_says_its_kind_once,
    an_empty_list_is_a_list,
    pages_show_one_moment,
    pages_of_a_selection_do_not_say_how_many_remain,
    an_old_continue_token_is_gone_and_another_is_offered,
    nonsense_is_no_continue_token,
    what_cannot_be_understood_is_a_bad_request,
    labels_select,
    fields_of_pods_select,
    what_is_not_there_is_not_found,
)
