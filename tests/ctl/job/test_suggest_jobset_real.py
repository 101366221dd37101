"""A JobSet with the suggested rules does what they say, under JobSet's own controller and that of Jobs."""

from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from tests.ctl.job.test_suggest import CORRECT, STORIES
from tests.ctl.job.test_suggest_real import EXAMPLES, complete, suggested
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.jobsets import jobset, restarts
from tests.servers.patience import until
from tests.servers.statuses import ended
from tests.simulator.api import Json
from tests.tables import table

pytestmark = pytest.mark.slow


def resource(namespace: str) -> str:
    return f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets"


def whole(document: dict[str, Any]) -> dict[str, Any]:
    """A JobSet as it would be created, as ``complete`` makes Jobs; rules have the names that JobSet's webhook gives."""
    parts = [
        {**part, "template": {"spec": complete({"kind": "Job", "spec": part["template"]["spec"]})["spec"]}}
        for part in document["spec"]["replicatedJobs"]
    ]
    spec = {**document["spec"], "replicatedJobs": parts}
    if "failurePolicy" in spec:
        rules = spec["failurePolicy"].get("rules", [])
        named = [{"name": f"failurePolicyRule{number}", **rule} for number, rule in enumerate(rules)]
        spec["failurePolicy"] = {**spec["failurePolicy"], "rules": named}
    head = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train"}}
    return {**head, "spec": spec}


def refused(client: Client, namespace: str, document: dict[str, Any]) -> str:
    """What the API server says against creating a JobSet."""
    query = {"dryRun": "All", "fieldValidation": "Strict"}
    answer = client.ask("POST", resource(namespace), body=document, query=query)
    return "" if answer.status == HTTPStatus.CREATED else str(answer.json()["message"])


def test_the_api_server_takes_every_example(jobset_controller: ControlPlane, namespace: str, tmp_path: Path) -> None:
    client = jobset_controller.client()
    files = [table(STORIES / file) for file in CORRECT if file.startswith("jobset")]
    of_examples = [case["document"] for case in EXAMPLES if case["document"]["kind"] == "JobSet"]
    # One story has an action that was never released.
    taken = [document for document in map(whole, (*of_examples, *files)) if not refused(client, namespace, document)]

    assert len(taken) == len(of_examples) + len(files) - 1
    assert [refused(client, namespace, suggested(document, tmp_path, None)) for document in taken] == [""] * len(taken)


def failed_by(condition: str) -> Json:
    """A pod that failed, and got a condition in the same write."""
    status: Json = ended(1)["status"]
    return {"status": {**status, "conditions": [{"type": condition, "status": "True", "reason": "node"}]}}


def started(client: Client, namespace: str, tmp_path: Path) -> str:
    """A JobSet of two pods with the suggested rules; the path of one of its pods."""
    pods = f"/api/v1/namespaces/{namespace}/pods"
    client.create(
        resource(namespace), suggested(jobset("train", pod_failure_rules=[], failure_policy={}), tmp_path, None)
    )
    until(lambda: len(client.get(pods)["items"]) == 2, "2 pods made", seconds=60)
    return f"{pods}/{client.get(pods)['items'][0]['metadata']['name']}"


def test_a_lost_node_restarts_all_jobs_and_counts_nothing(
    jobset_controller: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    client = jobset_controller.client()
    client.patch(f"{started(client, namespace, tmp_path)}/status", failed_by(INFRASTRUCTURE))

    until(lambda: restarts(client.get(f"{resource(namespace)}/train")) == (1, 0), "restarted", seconds=60)


def test_a_hopeless_pod_ends_the_jobset(jobset_controller: ControlPlane, namespace: str, tmp_path: Path) -> None:
    client = jobset_controller.client()
    client.patch(f"{started(client, namespace, tmp_path)}/status", failed_by(HOPELESS))

    def why() -> list[str]:
        conditions = client.get(f"{resource(namespace)}/train").get("status", {}).get("conditions", [])
        return [found["reason"] for found in conditions if found["type"] == "Failed" and found["status"] == "True"]

    until(lambda: why() != [], "the JobSet failed", seconds=60)
    assert why() == ["FailJobSetFailurePolicyAction"]
    assert restarts(client.get(f"{resource(namespace)}/train")) == (0, 0)
