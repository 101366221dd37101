"""What is refused of a Job, where the API server's own words are short of a case file."""

import pytest

from agent.core.job.defaults import defaulted
from agent.core.job.reading import read_spec
from agent.core.job.validation import validate_spec
from agent.core.job.validation_name import validate_object_name
from agent.core.job.validation_update import validate_update
from agent.core.job.words import JobSpec


def spec(**fields: object) -> JobSpec:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}
    return defaulted(read_spec({**fields, "template": template}))


def test_another_selector_is_refused() -> None:
    before, after = spec(selector={"matchLabels": {"a": "1"}}), spec(selector={"matchLabels": {"a": "2"}})

    assert validate_update(before, before) == ()
    assert [error.text for error in validate_update(after, before)] == [
        "spec.selector: Invalid value: <struct>: field is immutable"
    ]
    assert [error.text for error in validate_update(spec(), before)] == [
        "spec.selector: Required value",
        "spec.template.metadata.labels: Invalid value: <struct>: `selector` does not match template `labels`",
        "spec.selector: Invalid value: <struct>: field is immutable",
    ]


def test_who_selects_may_change() -> None:
    assert validate_update(spec(manualSelector=True), spec(manualSelector=False)) == ()


@pytest.mark.parametrize(("written", "shown"), [({}, "[]int32(nil)"), ({"values": []}, "[]int32{}")])
def test_missing_values_are_shown_differently_from_an_empty_list(written: dict[str, object], shown: str) -> None:
    codes = {"operator": "In", **written}
    errors = validate_spec(spec(podFailurePolicy={"rules": [{"action": "Count", "onExitCodes": codes}]}))

    assert [error.text for error in errors] == [
        f"spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: {shown}: at least one value is required"
    ]


@pytest.mark.parametrize("index", ["0" * 4400, "0" * 5000 + "3", "0-" + "0" * 5000 + "3"])
def test_leading_zeros_of_an_index_are_valid(index: str) -> None:
    assert validate_spec(spec(completionMode="Indexed", completions=5, successPolicy=rules(index))) == ()


def rules(index: str) -> dict[str, object]:
    return {"rules": [{"succeededIndexes": index}]}


@pytest.mark.parametrize(
    ("prefix", "refused"),
    [
        ("a-", {}),
        ("A-", {"metadata.name": "A-xxxxx"}),
        ("a_-", {"metadata.name": "a_-xxxxx"}),
        ("-", {"metadata.generateName": "-", "metadata.name": "-xxxxx"}),
        ("A_b-", {"metadata.generateName": "A_b-", "metadata.name": "A_b-xxxxx"}),
    ],
)
def test_a_prefix_is_refused_by_itself_and_as_the_name_it_makes(prefix: str, refused: dict[str, str]) -> None:
    assert {error.field: error.value for error in validate_object_name(None, prefix)} == refused
