"""What follows the failure of a pod by its Job and its JobSet."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier
from agent.diagnose.diagnosis import Diagnoser
from agent.diagnose.subject import read_subject
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).with_name("owned.yaml"))
RULES = Path(__file__).parents[1] / "ctl" / "classify" / "rules.yaml"
NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
METADATA: Mapping[str, Any] = {
    "name": "train-x7k2p",
    "namespace": "team",
    "uid": "0b5f1a52-7d1c-4b2f-9d3a-3f0c6c1f2a11",
    "finalizers": ["batch.kubernetes.io/job-tracking"],
    "ownerReferences": [{"kind": "Job", "name": "train", "controller": True}],
}
EXITED = {"name": "main", "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}


@pytest.fixture(scope="module", name="diagnoser")
def a_diagnoser() -> Diagnoser:
    return Diagnoser(classifier=load_classifier(RULES), redactor=Redactor())


def bundle(case: Mapping[str, Any]) -> dict[str, Any]:
    pod = {"kind": "Pod", "spec": {"containers": [{"name": "main"}]}, **case.get("pod", {})}
    pod["metadata"] = {**METADATA, **pod.get("metadata", {})}
    pod["status"] = {"phase": "Failed", "containerStatuses": [EXITED], **pod.get("status", {})}
    job = {"kind": "Job", **case["job"]}
    job["metadata"] = {"name": "train", **job.get("metadata", {})}
    above = [{"kind": "JobSet", **case["jobSet"]}] if "jobSet" in case else []
    return {"pod": pod, "owners": [job, *above]}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_the_controllers_do_is_said(case: dict[str, Any], diagnoser: Diagnoser) -> None:
    assert diagnoser.diagnose(read_subject(bundle(case)), now=NOW).follows == case["says"]


def test_the_pod_of_nobody_has_nobody_to_start_it_again(diagnoser: Diagnoser) -> None:
    case: dict[str, Any] = {"pod": {"metadata": {"ownerReferences": []}}, "job": {}}

    assert diagnoser.diagnose(read_subject(bundle(case)["pod"]), now=NOW).follows == "nothing starts bare pods"


def test_of_a_pod_that_is_not_as_an_api_server_gives_it_nobody_knows_who_made_it(diagnoser: Diagnoser) -> None:
    case: dict[str, Any] = {"pod": {"metadata": {"ownerReferences": [], "uid": None}}, "job": {}}

    assert not diagnoser.diagnose(read_subject(bundle(case)["pod"]), now=NOW).follows
