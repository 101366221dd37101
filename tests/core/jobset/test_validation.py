"""What is refused when a JobSet is made, and when it changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.core.jobset.defaults import defaulted
from agent.core.jobset.reading import read_jobset_spec, read_jobset_status
from agent.core.jobset.validation import validate
from agent.core.jobset.validation_update import validate_update
from agent.core.jobset.words import JobSetSpec
from tests.core.jobset.made import TEMPLATE
from tests.tables import table

REFUSED: list[dict[str, Any]] = table(Path(__file__).with_name("refused.yaml"))
SPEC: dict[str, Any] = {"replicatedJobs": [{"name": "a", "template": TEMPLATE}], "failurePolicy": {"maxRestarts": 1}}


def spec(**fields: Any) -> JobSetSpec:
    return defaulted(read_jobset_spec({**SPEC, **fields}))


def job(**fields: Any) -> dict[str, Any]:
    return {"name": "a", "template": {"spec": {**TEMPLATE["spec"], **fields}}}


@pytest.mark.parametrize("row", REFUSED, ids=[row["name"] for row in REFUSED])
def test_a_refusal_has_its_path(row: dict[str, Any]) -> None:
    assert row["text"] in [error.text for error in validate("js", spec(**row["fields"]))]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("j" * 62, "JobSet name is too long, job names generated for this JobSet will exceed 63 characters"),
        ("j" * 55, "JobSet name is too long, pod names generated for this JobSet will exceed 63 characters"),
        ("1js", "a DNS-1035 label must consist of lower case"),
    ],
)
def test_names_of_jobs_and_pods_must_be_labels(name: str, said: str) -> None:
    errors = validate(name, spec())

    assert {error.field for error in errors} == {"spec.replicatedJobs[0].name"}
    assert any(error.detail.startswith(said) for error in errors)


def pods(**fields: Any) -> dict[str, Any]:
    template: Any = TEMPLATE["spec"]["template"]
    changed = {"metadata": fields.pop("metadata", {}), "spec": {**template["spec"], **fields}}
    return {"replicatedJobs": [job(template=changed)]}


IMMUTABLE = "Value is immutable"
QUEUED = pods(metadata={"labels": {"queue": "q"}}, nodeSelector={"zone": "z"}, tolerations=[{"key": "k"}])


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ({}, {"suspend": True, "ttlSecondsAfterFinished": 5}, []),
        ({}, {"failurePolicy": {"maxRestarts": 2}}, [("spec.failurePolicy", IMMUTABLE)]),
        ({}, {"failurePolicy": None}, [("spec.failurePolicy", IMMUTABLE)]),
        ({}, {"successPolicy": {"operator": "Any"}}, [("spec.successPolicy", IMMUTABLE)]),
        ({}, {"startupPolicy": {"startupPolicyOrder": "InOrder"}}, [("spec.startupPolicy", IMMUTABLE)]),
        ({}, {"replicatedJobs": [job(backoffLimit=1)]}, [("spec.replicatedJobs", "field is immutable")]),
        ({}, {"replicatedJobs": [{**job(), "replicas": 2}]}, [("spec.replicatedJobs", "field is immutable")]),
        ({}, {"managedBy": "acme.io/foo"}, [("spec.managedBy", "field is immutable")]),
        ({}, QUEUED, [("spec.replicatedJobs", "field is immutable")]),
        ({"suspend": True}, {"suspend": True, **QUEUED}, []),
        ({"suspend": True}, QUEUED, []),
        ({}, {"suspend": True, **QUEUED}, []),
        ({"suspend": True}, {"suspend": True, **pods(hostname="h")}, [("spec.replicatedJobs", "field is immutable")]),
    ],
)
def test_what_may_not_change(old: dict[str, Any], new: dict[str, Any], refused: list[tuple[str, str]]) -> None:
    errors = validate_update("js", spec(**new), spec(**old))

    assert [(error.field, error.detail) for error in errors] == refused


def test_a_changed_spec_must_be_valid_too() -> None:
    errors = validate_update("js", spec(ttlSecondsAfterFinished=-1), spec())

    assert [error.field for error in errors] == ["spec.ttlSecondsAfterFinished"]


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (read_jobset_spec, {"failurePolicy": {"rules": [{"targetReplicatedJobs": [1]}]}}),
        (read_jobset_spec, {"suspend": "no"}),
        (read_jobset_status, {"replicatedJobsStatus": [{"name": "a", "jobRestarts": [0, "1"]}]}),
    ],
)
def test_values_of_another_type_are_not_read(read: Callable[[dict[str, Any]], object], written: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="expected"):
        read(written)
