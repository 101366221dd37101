"""A job as it was submitted: when two are the same, and what its labels say of its id."""

from typing import Any

import pytest
from msgspec import structs

from agent.core.submission.submission import Submission

JOB = Submission(
    queue="ml",
    namespace="team",
    client_id="a",
    labels={"x": "1", "y": "2"},
    pod_spec={"containers": [{"name": "main"}], "restartPolicy": "Never"},
)


def test_the_order_of_fields_makes_no_other_job() -> None:
    same = structs.replace(
        JOB, labels={"y": "2", "x": "1"}, pod_spec={"restartPolicy": "Never", "containers": [{"name": "main"}]}
    )

    assert same.digest == JOB.digest


@pytest.mark.parametrize(
    "other",
    [
        {"priority": 1.0},
        {"job_set": "b"},
        {"labels": {}},
        {"annotations": {"a": "b"}},
        {"namespace": "other"},
        {"pod_spec": {"containers": [{"name": "other"}], "restartPolicy": "Never"}},
    ],
)
def test_another_job_has_another_digest(other: dict[str, Any]) -> None:
    assert structs.replace(JOB, **other).digest != JOB.digest


def test_labels_and_annotations_may_have_the_id_of_the_job() -> None:
    job = structs.replace(JOB, labels={"app": "a-{JobId}"}, annotations={"note": "{{JobId}} is {JobId}"})

    assert job.for_job("01a").labels == {"app": "a-01a"}
    assert job.for_job("01a").annotations == {"note": "JobId is 01a"}
    assert job.for_job("01a").pod_spec == job.pod_spec
