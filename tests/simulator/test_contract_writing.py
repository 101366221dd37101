import pytest

from tests.simulator.api import JSON_PATCH, MERGE, PODS, STRATEGIC, Api, Json, pod

FINALIZER = "example.dev/hold"


async def refused(api: Api, method: str, path: str, *, body: object = None, form: str = MERGE) -> tuple[int, str, str]:
    status, refusal = await api.ask(method, path, body=body, content_type=form)
    return status, str(refusal.get("reason")), str(refusal.get("message"))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (pod("Bad_Name"), "metadata.name"),
        (pod(""), "metadata.name"),
        ({"metadata": {"name": "a"}, "spec": {"containers": []}}, "spec.containers"),
        ({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "x"}]}}, "spec.containers[0].image"),
    ],
)
async def test_an_invalid_pod_is_refused_with_the_field(api: Api, body: Json, field: str) -> None:
    status, refusal = await api.ask("POST", PODS, body=body)
    assert (status, refusal["reason"], refusal["details"]["causes"][0]["field"]) == (422, "Invalid", field)


async def test_a_namespace_must_exist(api: Api) -> None:
    answer = await refused(api, "POST", "/api/v1/namespaces/nowhere/pods", body=pod("a"))
    assert answer == (404, "NotFound", 'namespaces "nowhere" not found')


async def test_identity_and_node_do_not_change(api: Api) -> None:
    await api.create(PODS, pod("a", node="n1"))
    assert (await refused(api, "PATCH", f"{PODS}/a", body={"metadata": {"uid": "other"}}))[:2] == (422, "Invalid")
    assert (await refused(api, "PATCH", f"{PODS}/a", body={"spec": {"nodeName": "n2"}}))[:2] == (422, "Invalid")


async def test_a_pod_that_runs_gets_its_grace(api: Api) -> None:
    await api.create(PODS, pod("a", node="n1"))
    await api.ask("DELETE", f"{PODS}/a", gracePeriodSeconds=7)
    marked = await api.get(f"{PODS}/a")
    assert marked["metadata"]["deletionTimestamp"]
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 7
    assert (await api.ask("DELETE", f"{PODS}/a", gracePeriodSeconds=0))[0] == 200
    assert (await api.ask("GET", f"{PODS}/a"))[0] == 404


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
async def test_a_pod_that_is_over_goes_at_once(api: Api, phase: str) -> None:
    await api.create(PODS, pod("a", node="n1"))
    await api.patch(f"{PODS}/a/status", {"status": {"phase": phase}})
    await api.ask("DELETE", f"{PODS}/a")
    assert (await api.ask("GET", f"{PODS}/a"))[0] == 404


async def test_a_finalizer_that_is_off_already_is_no_change(api: Api) -> None:
    made = await api.create(PODS, pod("a"))
    patch = {"metadata": {"uid": made["metadata"]["uid"], "$deleteFromPrimitiveList/finalizers": [FINALIZER]}}
    same = await api.patch(f"{PODS}/a", patch, STRATEGIC)
    assert same["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


@pytest.mark.parametrize("wanted", [{"uid": "other"}, {"resourceVersion": "1"}])
async def test_preconditions_of_a_deletion_are_kept(api: Api, wanted: dict[str, str]) -> None:
    made = await api.create(PODS, pod("a"))
    answer = await refused(api, "DELETE", f"{PODS}/a", body={"preconditions": wanted})
    assert answer[:2] == (409, "Conflict")
    right = {name: made["metadata"][name] for name in wanted}
    assert (await api.ask("DELETE", f"{PODS}/a", body={"preconditions": right}))[0] == 200


async def test_a_json_patch_tests_before_it_changes(api: Api) -> None:
    made = await api.create(PODS, pod("a", finalizers=[FINALIZER]))
    wrong = [
        {"op": "test", "path": "/metadata/uid", "value": "other"},
        {"op": "remove", "path": "/metadata/finalizers"},
    ]
    assert (await refused(api, "PATCH", f"{PODS}/a", body=wrong, form=JSON_PATCH))[0] == 422
    right = [{**wrong[0], "value": made["metadata"]["uid"]}, wrong[1]]
    assert "finalizers" not in (await api.patch(f"{PODS}/a", right, JSON_PATCH))["metadata"]


async def test_an_unknown_kind_of_patch_is_refused(api: Api) -> None:
    await api.create(PODS, pod("a"))
    assert (await refused(api, "PATCH", f"{PODS}/a", body={}, form="application/apply-patch+yaml"))[0] == 415


async def test_an_event_is_about_something_in_its_namespace(api: Api) -> None:
    body = {"metadata": {"name": "e"}, "involvedObject": {"namespace": "other"}}
    assert (await refused(api, "POST", "/api/v1/namespaces/default/events", body=body))[:2] == (422, "Invalid")


async def test_a_log_that_never_was_is_refused(api: Api) -> None:
    await api.create(PODS, pod("a"))
    assert await refused(api, "GET", f"{PODS}/a/log") == (
        400,
        "BadRequest",
        'container "main" in pod "a" is waiting to start: ContainerCreating',
    )
    assert (await refused(api, "GET", f"{PODS}/a/log?container=no"))[2] == "container no is not valid for pod a"
    previous = await refused(api, "GET", f"{PODS}/a/log?previous=true")
    assert previous[2] == 'previous terminated container "main" in pod "a" not found'


@pytest.mark.parametrize(("method", "dry_run"), [("POST", "Some"), ("PUT", "All"), ("PATCH", "All"), ("DELETE", "All")])
async def test_a_dry_run_is_refused_and_not_carried_out(api: Api, method: str, dry_run: str) -> None:
    made = await api.create(PODS, pod("a"))
    path, body = (
        (PODS, pod("b"))
        if method == "POST"
        else (f"{PODS}/a", {**made, "metadata": {"name": "a", "labels": {"x": "y"}}})
    )
    content_type = MERGE if method == "PATCH" else "application/json"

    status, refused = await api.ask(
        method, path, body=None if method == "DELETE" else body, content_type=content_type, dryRun=dry_run
    )
    assert (status, refused["reason"]) == (400, "BadRequest")
    assert (await api.get(PODS))["items"] == [{name: made[name] for name in made if name not in {"kind", "apiVersion"}}]


async def test_a_deletion_whose_options_ask_for_a_dry_run_is_refused(api: Api) -> None:
    await api.create(PODS, pod("a"))
    status, _ = await api.ask("DELETE", f"{PODS}/a", body={"kind": "DeleteOptions", "dryRun": ["All"]})

    assert status == 400
    assert len((await api.get(PODS))["items"]) == 1
