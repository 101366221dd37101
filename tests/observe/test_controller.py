"""Who made a pod, and may make another one."""

from typing import Any

import msgspec
import pytest

from agent.kube import objects
from agent.observe.controller import controller_of, made_by

OWNED = {"ownerReferences": [{"kind": "Node", "name": "n1"}, {"kind": "Job", "name": "train-0", "controller": True}]}
OURS = {"failure-agent.dev/job": "j", "failure-agent.dev/run": "r"}


def pod(metadata: dict[str, Any]) -> objects.Pod:
    return msgspec.convert({"metadata": metadata}, objects.Pod)


@pytest.mark.parametrize(
    ("metadata", "controller"),
    [
        ({}, None),
        ({"uid": "u"}, ""),
        (OWNED, "Job train-0"),
        ({"uid": "u", "ownerReferences": [{"kind": "Workflow", "name": "w"}]}, ""),
        ({"ownerReferences": [{"name": "w", "controller": True}]}, "controller w"),
        ({"labels": {"armada_job_id": "01f3"}}, "Armada job 01f3"),
        (OWNED | {"labels": {"armada_job_id": "01f3"}}, "Job train-0"),
        (OWNED | {"labels": OURS}, "failure-agent job j"),
        ({"uid": "u", "labels": {"failure-agent.dev/job": "j"}}, ""),
    ],
)
def test_the_controller_is_read_from_owners_and_labels(metadata: dict[str, Any], controller: str | None) -> None:
    assert controller_of(pod(metadata)) == controller


@pytest.mark.parametrize("controller", ["", "Job train-0", "Armada job 01f3", "failure-agent job j", "Rayon x"])
def test_metadata_that_is_written_for_a_controller_is_read_again(controller: str) -> None:
    assert controller_of(pod({"uid": "u"} | made_by(controller))) == controller
