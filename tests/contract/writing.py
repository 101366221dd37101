"""Scenarios: what is created, patched and replaced, and what is refused."""

from tests.contract.stage import Scenario, Stage
from tests.simulator.api import JSON_PATCH, MERGE, STRATEGIC, Json, pod

FINALIZER = "example.dev/hold"
OTHER = "example.dev/other"


async def a_created_pod_has_an_identity_and_waits(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a"))
    assert made["metadata"]["uid"]
    assert made["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert made["spec"]["terminationGracePeriodSeconds"] == 30


async def resources_decide_the_quality(stage: Stage) -> None:
    equal = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
    for name, resources, quality in (
        ("all", equal, "Guaranteed"),
        ("some", {"requests": {"cpu": "1"}}, "Burstable"),
    ):
        body = pod(name)
        body["spec"]["containers"][0]["resources"] = resources
        assert (await stage.server.create(stage.pods, body))["status"]["qosClass"] == quality


async def a_name_is_taken_until_its_pod_is_gone(stage: Stage) -> None:
    first = await stage.server.create(stage.pods, pod("a"))
    taken = await stage.server.ask("POST", stage.pods, body=pod("a"))
    assert (taken.status, taken.body["reason"]) == (409, "AlreadyExists")
    await stage.server.delete(f"{stage.pods}/a")
    assert (await stage.server.create(stage.pods, pod("a")))["metadata"]["uid"] != first["metadata"]["uid"]


async def an_invalid_pod_is_refused_with_the_field(stage: Stage) -> None:
    for body, field in (
        (pod("Bad_Name"), "metadata.name"),
        ({"metadata": {"name": "a"}, "spec": {"containers": []}}, "spec.containers"),
        ({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "x"}]}}, "spec.containers[0].image"),
    ):
        refused = await stage.server.ask("POST", stage.pods, body=body)
        assert (refused.status, refused.body["reason"]) == (422, "Invalid")
        assert [cause["field"] for cause in refused.body["details"]["causes"]] == [field]


async def a_namespace_must_exist_and_be_the_same(stage: Stage) -> None:
    nowhere = await stage.server.ask("POST", "/api/v1/namespaces/nowhere/pods", body=pod("a"))
    assert (nowhere.status, nowhere.body["message"]) == (404, 'namespaces "nowhere" not found')
    elsewhere = await stage.server.ask("POST", stage.pods, body=pod("a", namespace="elsewhere"))
    assert elsewhere.status == 400


async def status_and_the_rest_are_written_apart(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    await stage.server.patch(f"{stage.pods}/a", {"status": {"phase": "Failed"}, "metadata": {"labels": {"x": "1"}}})
    await stage.server.patch(
        f"{stage.pods}/a/status", {"status": {"reason": "Because"}, "metadata": {"labels": {"x": "2"}}}
    )
    found = await stage.server.get(f"{stage.pods}/a")
    assert (found["status"]["phase"], found["status"]["reason"]) == ("Pending", "Because")


async def a_status_says_how_containers_ended(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a", node="n1"))
    ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-01-02T03:04:05Z"}
    status = {"name": "main", "image": "example", "imageID": "", "ready": False, "restartCount": 2}
    whole = {"phase": "Failed", "containerStatuses": [{**status, "state": {"terminated": ended}}]}
    failed = await stage.server.patch(f"{stage.pods}/a/status", {"status": whole})
    assert failed["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 137
    back = await stage.server.patch(f"{stage.pods}/a/status", {"status": {"phase": "Running"}})
    assert back["status"]["phase"] == "Running", "whether a phase may follow another is the kubelet's business"


async def conditions_merge_by_type(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    ready = {"type": "Ready", "status": "False"}
    await stage.server.patch(f"{stage.pods}/a/status", {"status": {"conditions": [ready]}}, STRATEGIC)
    other = [{"type": "Ready", "reason": "PodFailed"}, {"type": "DisruptionTarget", "status": "True"}]
    found = await stage.server.patch(f"{stage.pods}/a/status", {"status": {"conditions": other}}, STRATEGIC)
    assert {each["type"]: each.get("reason") for each in found["status"]["conditions"]} == {
        "Ready": "PodFailed",
        "DisruptionTarget": None,
    }
    last = [{"type": "ContainersReady", "status": "False"}, {"type": "DisruptionTarget", "status": "False"}]
    ordered = await stage.server.patch(f"{stage.pods}/a/status", {"status": {"conditions": last}}, STRATEGIC)
    types = [each["type"] for each in ordered["status"]["conditions"]]
    assert types == ["ContainersReady", "Ready", "DisruptionTarget"], "what is new comes first"


async def a_stale_version_is_a_conflict(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a"))
    await stage.server.patch(f"{stage.pods}/a", {"metadata": {"labels": {"x": "1"}}})
    replaced = await stage.server.ask("PUT", f"{stage.pods}/a", body=made)
    assert (replaced.status, replaced.body["reason"]) == (409, "Conflict")
    stale = {"metadata": {"resourceVersion": made["metadata"]["resourceVersion"]}}
    assert (await stage.server.ask("PATCH", f"{stage.pods}/a", body=stale, content_type=MERGE)).status == 409
    namesake = {**made, "metadata": {"name": "a", "uid": "other"}}
    assert (await stage.server.ask("PUT", f"{stage.pods}/a", body=namesake)).status == 409
    nobody = {**made, "metadata": {"name": "nobody"}}
    assert (await stage.server.ask("PUT", f"{stage.pods}/nobody", body=nobody)).status == 404


async def a_replacement_with_the_current_version_is_taken(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a"))
    made["metadata"]["labels"] = {"x": "1"}
    assert (await stage.server.replace(f"{stage.pods}/a", made))["metadata"]["labels"] == {"x": "1"}


async def identity_and_node_do_not_change(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a", node="n1"))
    uid: Json = {"metadata": {"uid": "other"}}
    for body, form in ((uid, MERGE), (uid, STRATEGIC), ({"metadata": {"name": "b"}}, MERGE)):
        refused = await stage.server.ask("PATCH", f"{stage.pods}/a", body=body, content_type=form)
        assert refused.status in {400, 409, 422}, refused.body
    moved = await stage.server.ask(
        "PATCH",
        f"{stage.pods}/a",
        body={"metadata": {"labels": {"x": "1"}}, "spec": {"nodeName": "n2"}},
        content_type=MERGE,
    )
    assert moved.status == 422


async def a_finalizer_comes_and_goes_by_a_patch(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a", finalizers=[OTHER]))
    uid = made["metadata"]["uid"]
    added = await stage.server.patch(
        f"{stage.pods}/a", {"metadata": {"uid": uid, "finalizers": [FINALIZER]}}, STRATEGIC
    )
    assert sorted(added["metadata"]["finalizers"]) == [FINALIZER, OTHER]
    take = {"metadata": {"uid": uid, "$deleteFromPrimitiveList/finalizers": [FINALIZER]}}
    assert (await stage.server.patch(f"{stage.pods}/a", take, STRATEGIC))["metadata"]["finalizers"] == [OTHER]
    again = await stage.server.patch(f"{stage.pods}/a", take, STRATEGIC)
    assert again["metadata"]["finalizers"] == [OTHER]
    none = await stage.server.patch(f"{stage.pods}/a", {"metadata": {"finalizers": None}})
    assert "finalizers" not in none["metadata"]


async def a_json_patch_tests_before_it_changes(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a", finalizers=[FINALIZER]))
    remove = {"op": "remove", "path": "/metadata/finalizers"}
    wrong = [{"op": "test", "path": "/metadata/uid", "value": "other"}, remove]
    refused = await stage.server.ask("PATCH", f"{stage.pods}/a", body=wrong, content_type=JSON_PATCH)
    assert refused.status == 422
    right = [{"op": "test", "path": "/metadata/uid", "value": made["metadata"]["uid"]}, remove]
    assert "finalizers" not in (await stage.server.patch(f"{stage.pods}/a", right, JSON_PATCH))["metadata"]
    missing = await stage.server.ask("PATCH", f"{stage.pods}/a", body=[remove], content_type=JSON_PATCH)
    assert missing.status == 422


async def what_is_no_patch_is_refused(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    odd = await stage.server.ask("PATCH", f"{stage.pods}/a", body={}, content_type="application/odd-patch+json")
    assert odd.status == 415
    absent = await stage.server.ask("PATCH", f"{stage.pods}/nobody", body={}, content_type=MERGE)
    assert absent.status == 404


async def a_log_needs_a_container_that_runs(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    wrong = await stage.server.ask("GET", f"{stage.pods}/a/log", container="no")
    assert (wrong.status, wrong.body["message"]) == (400, "container no is not valid for pod a")
    assert (await stage.server.ask("GET", f"{stage.pods}/nobody/log")).status == 404


async def too_many_writes_are_refused_in_plain_text(stage: Stage) -> None:
    async with stage.keeper.overloaded() as somebody:
        refused = await somebody.ask("POST", stage.pods, body=pod("a"))
    assert (refused.status, refused.body) == (429, "Too many requests, please try again later.\n")
    stage.server.exchanges.extend(somebody.exchanges)


SCENARIOS: tuple[Scenario, ...] = (
    a_created_pod_has_an_identity_and_waits,
    resources_decide_the_quality,
    a_name_is_taken_until_its_pod_is_gone,
    an_invalid_pod_is_refused_with_the_field,
    a_namespace_must_exist_and_be_the_same,
    status_and_the_rest_are_written_apart,
    a_status_says_how_containers_ended,
    conditions_merge_by_type,
    a_stale_version_is_a_conflict,
    a_replacement_with_the_current_version_is_taken,
    identity_and_node_do_not_change,
    a_finalizer_comes_and_goes_by_a_patch,
    a_json_patch_tests_before_it_changes,
    what_is_no_patch_is_refused,
    a_log_needs_a_container_that_runs,
    too_many_writes_are_refused_in_plain_text,
)
