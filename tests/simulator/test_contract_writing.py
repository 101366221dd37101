import pytest

from tests.simulator.api import JSON_PATCH, MERGE, PODS, STRATEGIC, Api, Json, pod

FINALIZER = "example.dev/hold"


async def refused(api: Api, method: str, path: str, *, body: object = None, form: str = MERGE) -> tuple[int, str, str]:
    status, refusal = await api.ask(method, path, body=body, content_type=form)
    return status, str(refusal.get("reason")), str(refusal.get("message"))


async def test_a_created_pod_has_an_identity_and_waits(api: Api) -> None:
    made = await api.create(PODS, pod("a"))
    assert made["metadata"]["uid"]
    assert made["metadata"]["creationTimestamp"].endswith("Z")
    assert made["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert made["spec"]["terminationGracePeriodSeconds"] == 30


async def test_a_name_is_taken_until_its_pod_is_gone(api: Api) -> None:
    first = await api.create(PODS, pod("a"))
    assert (await refused(api, "POST", PODS, body=pod("a")))[:2] == (409, "AlreadyExists")
    assert (await api.ask("DELETE", f"{PODS}/a"))[0] == 200
    assert (await api.create(PODS, pod("a")))["metadata"]["uid"] != first["metadata"]["uid"]


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


async def test_status_and_the_rest_are_written_apart(api: Api) -> None:
    await api.create(PODS, pod("a"))
    await api.patch(f"{PODS}/a", {"status": {"phase": "Failed"}, "metadata": {"labels": {"x": "1"}}})
    await api.patch(f"{PODS}/a/status", {"status": {"reason": "Because"}, "metadata": {"labels": {"x": "2"}}})
    found = await api.get(f"{PODS}/a")
    assert (found["status"]["phase"], found["status"]["reason"]) == ("Pending", "Because")
    assert found["metadata"]["labels"] == {"x": "1"}


async def test_a_stale_version_is_a_conflict(api: Api) -> None:
    made = await api.create(PODS, pod("a"))
    await api.patch(f"{PODS}/a", {"metadata": {"labels": {"x": "1"}}})
    answer = await refused(api, "PUT", f"{PODS}/a", body=made)
    assert answer[:2] == (409, "Conflict")
    assert "the object has been modified" in answer[2]
    version = made["metadata"]["resourceVersion"]
    assert (await refused(api, "PATCH", f"{PODS}/a", body={"metadata": {"resourceVersion": version}}))[0] == 409


async def test_a_replacement_with_the_current_version_is_taken(api: Api) -> None:
    made = await api.create(PODS, pod("a"))
    made["metadata"]["labels"] = {"x": "1"}
    status, replaced = await api.ask("PUT", f"{PODS}/a", body=made)
    assert (status, replaced["metadata"]["labels"]) == (200, {"x": "1"})


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


async def test_a_finalizer_holds_a_pod_and_its_removal_lets_it_go(api: Api) -> None:
    await api.create(PODS, pod("a", finalizers=[FINALIZER, "example.dev/other"]))
    await api.ask("DELETE", f"{PODS}/a")
    assert (await api.get(f"{PODS}/a"))["metadata"]["deletionTimestamp"]

    one = {"metadata": {"$deleteFromPrimitiveList/finalizers": [FINALIZER]}}
    left = await api.patch(f"{PODS}/a", one, STRATEGIC)
    assert left["metadata"]["finalizers"] == ["example.dev/other"]
    async with api.watch(PODS, resourceVersion=left["metadata"]["resourceVersion"]) as events:
        await api.patch(f"{PODS}/a", {"metadata": {"finalizers": None}}, MERGE)
        assert await events.take(1) == [("DELETED", "a")]
    assert (await api.ask("GET", f"{PODS}/a"))[0] == 404


async def test_no_finalizer_is_added_to_what_is_being_deleted(api: Api) -> None:
    await api.create(PODS, pod("a", finalizers=[FINALIZER]))
    await api.ask("DELETE", f"{PODS}/a")
    more = {"metadata": {"finalizers": ["example.dev/late"]}}
    assert (await refused(api, "PATCH", f"{PODS}/a", body=more, form=STRATEGIC))[:2] == (422, "Invalid")


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


async def test_conditions_merge_by_type(api: Api) -> None:
    await api.create(PODS, pod("a"))
    ready = {"type": "Ready", "status": "False"}
    await api.patch(f"{PODS}/a/status", {"status": {"conditions": [ready]}}, STRATEGIC)
    other = [{"type": "Ready", "reason": "PodFailed"}, {"type": "DisruptionTarget", "status": "True"}]
    found = await api.patch(f"{PODS}/a/status", {"status": {"conditions": other}}, STRATEGIC)
    assert found["status"]["conditions"] == [{**ready, "reason": "PodFailed"}, other[1]]


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
