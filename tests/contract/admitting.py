"""Scenarios: what is refused to who creates pods, and what is only tried."""

from tests.contract.gating import OURS, gated
from tests.contract.stage import Scenario, Stage
from tests.simulator.api import pod


async def nothing_is_created_in_a_namespace_that_is_being_deleted(stage: Stage) -> None:
    await stage.server.create(stage.pods, gated("a", OURS))
    going = await stage.server.delete(f"/api/v1/namespaces/{stage.namespace}")
    assert going["status"]["phase"] == "Terminating"
    refused = await stage.server.ask("POST", stage.pods, body=pod("b"))
    assert (refused.status, refused.body["reason"]) == (403, "Forbidden")
    assert [cause["reason"] for cause in refused.body["details"]["causes"]] == ["NamespaceTerminating"]
    assert (await stage.server.ask("DELETE", f"{stage.pods}/a")).status == 200


async def a_quota_is_not_exceeded(stage: Stage) -> None:
    async with stage.keeper.full():
        refused = await stage.server.ask("POST", stage.pods, body=pod("a"))
    assert (refused.status, refused.body["reason"]) == (403, "Forbidden")
    assert "exceeded quota: " in refused.body["message"]


async def a_webhook_denies_a_pod_in_its_own_words(stage: Stage) -> None:
    async with stage.keeper.denying("jobs need an owner"):
        refused = await stage.server.ask("POST", stage.pods, body=pod("a"))
    assert refused.status == 400
    assert refused.body["message"] == 'admission webhook "deny.example.dev" denied the request: jobs need an owner'


async def a_pod_can_be_created_without_doing_it(stage: Stage) -> None:
    tried = await stage.server.ask("POST", stage.pods, body=gated("a", OURS), dryRun="All")
    assert (tried.status, tried.body["spec"]["schedulingGates"]) == (201, [{"name": OURS}])
    assert (await stage.server.ask("GET", f"{stage.pods}/a")).status == 404
    nameless = await stage.server.ask("POST", stage.pods, body={"metadata": {"name": "a"}, "spec": {}}, dryRun="All")
    assert (nameless.status, nameless.body["reason"]) == (422, "Invalid")
    await stage.server.create(stage.pods, pod("a"))
    taken = await stage.server.ask("POST", stage.pods, body=pod("a"), dryRun="All")
    assert (taken.status, taken.body["reason"]) == (409, "AlreadyExists")


SCENARIOS: tuple[Scenario, ...] = (
    nothing_is_created_in_a_namespace_that_is_being_deleted,
    a_quota_is_not_exceeded,
    a_webhook_denies_a_pod_in_its_own_words,
    a_pod_can_be_created_without_doing_it,
)
