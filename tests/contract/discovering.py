"""Scenarios: what there is, as clients find out before they ask for anything."""

from tests.contract import showing
from tests.contract.showing import AGGREGATED
from tests.contract.stage import Scenario, Stage
from tests.contract.witness import Shown, whole


async def what_there_is_is_listed_by_group(stage: Stage) -> None:
    pages: dict[str, Shown] = {
        "/apis": showing.groups,
        "/api/v1": showing.resources,
        "/apis/coordination.k8s.io/v1": showing.resources,
    }
    for path in ("/api", "/apis", "/apis/coordination.k8s.io", "/api/v1", "/apis/coordination.k8s.io/v1"):
        answer = await stage.server.asking(shown=pages.get(path, whole)).ask("GET", path)
        assert answer.status == 200, path
    assert (await stage.server.ask("GET", "/apis/example.dev")).status == 404


async def what_there_is_comes_in_one_document_too(stage: Stage) -> None:
    for path in ("/api", "/apis"):
        for accept in (AGGREGATED, f"{AGGREGATED},application/json"):
            answer = await stage.server.asking(accept, shown=showing.aggregated).ask("GET", path)
            assert (answer.status, answer.body["kind"]) == (200, "APIGroupDiscoveryList")


async def a_specification_says_that_fields_can_be_checked(stage: Stage) -> None:
    await stage.server.asking(shown=showing.specifications).ask("GET", "/openapi/v3")
    for place in ("api/v1", "apis/coordination.k8s.io/v1"):
        answer = await stage.server.asking(shown=showing.specification).ask("GET", f"/openapi/v3/{place}")
        assert answer.status == 200


SCENARIOS: tuple[Scenario, ...] = (
    what_there_is_is_listed_by_group,
    what_there_is_comes_in_one_document_too,
    a_specification_says_that_fields_can_be_checked,
)
