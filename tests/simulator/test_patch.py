import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.simulator.patch import apply_json_patch, merge, strategic_merge
from agent.simulator.status import StatusError
from tests.tables import table

EXAMPLES = table(Path(__file__).with_name("patches.yaml"))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("row", EXAMPLES["merge"], ids=json.dumps)
def test_merge_as_in_rfc_7386(row: list[Any]) -> None:
    target, patch, gives = row
    assert merge(target, patch) == gives


@pytest.mark.parametrize("row", EXAMPLES["strategic"], ids=json.dumps)
def test_strategic_merge_of_lists(row: list[Any]) -> None:
    target, patch, gives = row
    assert strategic_merge(target, patch) == gives


@pytest.mark.parametrize("row", EXAMPLES["json"], ids=lambda row: str(row["name"]))
def test_json_patch_as_in_rfc_6902(row: dict[str, Any]) -> None:
    before = json.dumps(row["doc"])
    if "gives" in row:
        assert apply_json_patch(row["doc"], row["patch"]) == row["gives"]
    else:
        with pytest.raises(StatusError) as refused:
            apply_json_patch(row["doc"], row["patch"])
        assert refused.value.code == 422
    assert json.dumps(row["doc"]) == before, "the old object is never changed"


@given(target=json_values, patch=json_values)
def test_a_merge_twice_is_the_same_as_once(target: Any, patch: Any) -> None:  # noqa: ANN401 - any JSON
    once = merge(target, patch)
    assert merge(once, patch) == once


@given(target=st.dictionaries(st.sampled_from("abc"), json_values), value=json_values)
def test_what_is_added_can_be_tested_and_removed(target: dict[str, Any], value: Any) -> None:  # noqa: ANN401 - any JSON
    operations = [
        {"op": "add", "path": "/new~1key", "value": value},
        {"op": "test", "path": "/new~1key", "value": value},
        {"op": "remove", "path": "/new~1key"},
    ]
    assert apply_json_patch(target, operations) == target
