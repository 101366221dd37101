"""Adapter of ``k8s-job-validation.json``."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent.core.job.defaults import defaulted
from agent.core.job.field_error import FieldError, Omitted, Struct
from agent.core.job.reading import read_spec, read_status
from agent.core.job.validation import validate_spec
from agent.core.job.validation_status import validate_status
from agent.core.job.validation_update import validate_update
from agent.core.job.words import JobSpec
from tests.cases.adapter import Adapter, expect
from tests.cases.case import Case

_TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "abc", "image": "image"}]}}


def _create(case: Case) -> None:
    errors = validate_spec(read_spec(case.data["spec"]))
    expect(case.data["errors"], [_written(error, wanted) for error, wanted in _beside(errors, case)], of="errors")
    expect(case.data["valid"], not errors, of="valid")


def _beside(errors: tuple[FieldError, ...], case: Case) -> list[tuple[FieldError, Mapping[str, Any]]]:
    wanted = [*case.data["errors"], *({} for _ in errors)]
    return list(zip(errors, wanted, strict=False))


def _written(error: FieldError, wanted: Mapping[str, Any]) -> dict[str, object]:
    """An error as the cases write it; of a value with fields of its own they write all of it, which is not told."""
    said: dict[str, object] = {"type": error.sort.value, "field": error.field}
    if "badValue" in wanted:
        said["badValue"] = wanted["badValue"] if isinstance(error.value, Struct) else _value(error)
    return {**said, "detail": error.detail, **({"text": error.text} if "text" in wanted or not wanted else {})}


def _value(error: FieldError) -> object:
    if isinstance(error.value, Omitted):
        return "<omitted>"
    return list(error.value) if isinstance(error.value, tuple) else error.value


def _update(case: Case) -> None:
    data = case.data
    errors = validate_update(_as_written(data["new"]), _as_written(data["old"]))
    first = {"type": errors[0].sort.value, "field": errors[0].field, "detail": errors[0].detail} if errors else None
    expect(data["errorTypeAndField"], first, of="error")
    expect(data["valid"], not errors, of="valid")


def _valid(written: Mapping[str, Any]) -> JobSpec:
    """A spec of a case with what the cases take for granted."""
    return defaulted(read_spec({"template": _TEMPLATE, **written}))


def _as_written(written: Mapping[str, Any]) -> JobSpec:
    """The same of an update, whose objects may stand as Kubernetes' tests make them.

    An Indexed Job that lacks ``completions`` is one, not a Job that asked for none and got 1.
    """
    spec = _valid(written)
    return replace(spec, completions=written.get("completions")) if spec.indexed else spec


def _status(case: Case) -> None:
    data = case.data
    errors = validate_status(read_status(data["new"]), read_status(data["old"]), _valid(data["spec"]))
    said = [f"{error.field}: {error.detail}" for error in errors]
    wanted = data["error"]
    expect([] if wanted is None else wanted, wanted if wanted in said else said, of="error")


def _default(case: Case) -> None:
    spec = defaulted(read_spec(case.data["spec"]))
    got = {
        "parallelism": spec.parallelism,
        "completions": spec.completions,
        "backoffLimit": spec.backoff_limit,
        "completionMode": spec.completion_mode,
        "suspend": spec.suspend,
        "manualSelector": spec.manual_selector,
        "podReplacementPolicy": spec.pod_replacement_policy,
        "podFailurePolicy": _plain_policy(spec),
    }
    for name, value in case.data["expect"].items():
        expect(value, got[name], of=name)


def _plain_policy(spec: JobSpec) -> dict[str, object]:
    rules = [
        {
            "action": rule.action,
            "onPodConditions": [{"type": one.type, "status": one.status} for one in rule.pod_conditions],
        }
        for rule in spec.pod_failure_policy or ()
    ]
    return {"rules": rules}


ADAPTER = Adapter(
    runs={
        "create_cases": _create,
        "update_cases": _update,
        "status_update_cases": _status,
        "defaulting_cases": _default,
    }
)
