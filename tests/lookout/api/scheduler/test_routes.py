"""What people ask the scheduler through Lookout, on the scheduler's own API."""

from pathlib import Path

import pytest
from google.protobuf.descriptor_pool import Default

from agent.lookout.api.scheduler.methods import METHODS
from tests.lookout.api.scheduler.fronting import BASE, in_front_of
from tests.lookout.api.serving import Client
from tests.manifests.resource.documents import policy, queue
from tests.servers.ports import free_ports

POLICIES, QUEUES = f"{BASE}/retrypolicies", f"{BASE}/queues"
JOB = '- {namespace: a, podSpec: {restartPolicy: Never, containers: [{name: main, image: "a:1"}]}}\n'
NOT_FORWARDED = {
    "WatchResources": "a stream; changes of jobs and runs are told by /changes",
    "ListRecords": "Lookout has the lists itself",
    "CountRecords": "as ListRecords",
    "FindName": "as ListRecords",
    "ShortenNames": "for terminals",
}


def test_a_policy_through_its_life(client: Client) -> None:
    first, second = policy("life"), policy("life", limit=5)
    created = client.post(f"{BASE}/resources/create", {"text": first}, failure_agent_user="ann").json["changed"][0]
    updated = client.post(f"{BASE}/resources/apply", {"text": second}, failure_agent_user="bob").json["changed"][0]
    kept = client.get(f"{POLICIES}/life").json["resource"]
    rolled = client.post(f"{POLICIES}/life/rollback", {"version": "1"}).json["changed"]
    versions = client.get(f"{POLICIES}/life/versions").json["versions"]
    dry = client.ask("DELETE", f"{POLICIES}/life?dryRun=true").json["changed"]
    listed = [resource["name"] for resource in client.get(POLICIES).json["resources"]]
    client.ask("DELETE", f"{POLICIES}/life")

    assert [(changed["change"], changed["version"]) for changed in (created, updated, rolled, dry)] == [
        ("CHANGE_CREATED", "1"),
        ("CHANGE_UPDATED", "2"),
        ("CHANGE_ROLLED_BACK", "3"),
        ("CHANGE_DELETED", "3"),
    ]
    assert (kept["text"], kept["createdBy"], kept["changedBy"]) == (second, "ann", "bob")
    assert [version["text"] for version in versions] == [first, second, first]
    assert "life" in listed
    assert client.get(f"{POLICIES}/life").code == "scheduler-not-found"


def test_a_text_with_errors_is_refused_with_their_places(client: Client) -> None:
    answer = client.post(f"{BASE}/resources/create", {"text": policy("bad").replace("Retry,", "Rety,")})

    assert (answer.status, answer.code) == (400, "scheduler-invalid-argument")
    (fault,) = answer.json["errors"]
    assert (fault["code"], fault["path"], fault["line"]) == ("unknown-value", "text", 6)
    assert fault["column"] > 1
    assert "Retry" in fault["message"] + fault["fix"]


def test_jobs_are_asked_for_in_bulk_with_a_dry_run(client: Client) -> None:
    client.post(f"{BASE}/resources/create", {"text": queue("bulk")})
    text = "queue: bulk\njobSetId: s\njobs:\n" + JOB + JOB
    submitted = client.post(f"{BASE}/jobs/submit", {"text": text}, failure_agent_user="ann").json["results"]
    job_ids = [result["jobId"] for result in submitted]
    dry = client.post(f"{BASE}/jobs/cancel", {"jobIds": job_ids, "dryRun": True}).json["results"]
    before = client.post(f"{BASE}/jobs/standing", {"jobIds": job_ids}).json["jobs"]
    done = client.post(f"{BASE}/jobs/cancel", {"jobIds": [*job_ids, "none"], "reason": "a mistake"}).json["results"]
    timeline = client.get(f"{BASE}/explanations/{job_ids[0]}").json["timeline"]

    assert [result["outcome"] for result in dry] == ["REQUEST_OUTCOME_DONE"] * 2
    assert [job["state"] for job in before] == ["JOB_STATE_QUEUED"] * 2
    assert [result["outcome"] for result in done] == ["REQUEST_OUTCOME_DONE"] * 2 + ["REQUEST_OUTCOME_NOT_FOUND"]
    assert job_ids[0] in str(timeline)


def test_the_pod_of_a_job_as_it_was_submitted(client: Client) -> None:
    client.post(f"{BASE}/resources/create", {"text": queue("pods")})
    spec = "containers: [{name: main, env: [{name: API_KEY, value: abc}]}]"
    text = f"queue: pods\njobSetId: s\njobs:\n- {{namespace: a, podSpec: {{{spec}}}}}\n"
    job_id = client.post(f"{BASE}/jobs/submit", {"text": text}).json["results"][0]["jobId"]
    shown = client.get(f"{BASE}/jobs/{job_id}/pod").json

    assert shown["yaml"].startswith("apiVersion: v1\nkind: Pod\n")
    assert "abc" not in shown["yaml"]
    assert shown["redacted"] == ["spec.containers[0].env[0].value"]
    assert client.get(f"{BASE}/jobs/none/pod").code == "scheduler-not-found"


def test_effective_policies_and_orphans(client: Client) -> None:
    effective = client.get(f"{BASE}/policies/effective?queue=none")

    assert effective.status == 200
    assert set(effective.json) == {"policies", "notes"}
    assert client.get(f"{BASE}/orphans").json == {"orphans": []}


@pytest.mark.parametrize("header", ["failure_agent_user", "authorization"])
@pytest.mark.parametrize("value", ["\xff", "a\tb", "a\x7f"])
def test_who_asks_is_told_what_no_call_can_pass_on(client: Client, header: str, value: str) -> None:
    answer = client.get(QUEUES, **{header: value})

    assert (answer.status, answer.code) == (400, "invalid-header")
    assert value not in answer.text


def test_a_scheduler_that_is_not_there(tmp_path: Path) -> None:
    with in_front_of(f"127.0.0.1:{free_ports(1)[0]}", tmp_path) as client:
        answer = client.get(QUEUES)

    assert (answer.status, answer.code) == (503, "scheduler-unavailable")
    assert answer.headers["retry-after"] == "5"


def test_no_scheduler_at_all(tmp_path: Path) -> None:
    with in_front_of(None, tmp_path) as client:
        answer = client.get(QUEUES)

    assert (answer.status, answer.code) == (503, "no-scheduler")
    assert "api.scheduler" in answer.json["detail"]


def test_answers_are_shared_with_nobody(client: Client) -> None:
    answer = client.get(QUEUES)

    assert "etag" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"


def test_every_call_of_the_scheduler_is_forwarded_or_said_not_to_be() -> None:
    files = [Default().FindFileByName(f"agent/api/v1/{name}.proto") for name in ("job", "records", "resources")]
    calls = {call.name for file in files for service in file.services_by_name.values() for call in service.methods}

    assert {method.rpc for method in METHODS} == calls - NOT_FORWARDED.keys()
