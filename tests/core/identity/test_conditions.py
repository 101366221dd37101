"""The types of our conditions are those that the API server accepts."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent.core.identity.conditions import (
    HOPELESS,
    INFRASTRUCTURE,
    LONGEST_CATEGORY,
    can_be_named,
    category_of,
    of_category,
)
from agent.core.job.validation_name import validate_qualified_name

NAMES = st.text(st.sampled_from("aZ0-_. /\n\u00e9"), max_size=6) | st.integers(50, 60).map(lambda length: "n" * length)


@given(NAMES)
@example("n" * LONGEST_CATEGORY)
@example("n" * (LONGEST_CATEGORY + 1))
@example("trailing\n")
def test_a_category_can_have_a_condition_if_its_type_is_a_qualified_name(category: str) -> None:
    is_valid = not list(validate_qualified_name("type", of_category(category)))

    assert can_be_named(category) == (is_valid and category != "")


@given(NAMES.filter(bool))
def test_the_category_of_a_condition_is_read_back(category: str) -> None:
    assert category_of(of_category(category)) == category


@pytest.mark.parametrize("condition", [INFRASTRUCTURE, HOPELESS, "DisruptionTarget", of_category("")])
def test_other_conditions_have_no_category(condition: str) -> None:
    assert category_of(condition) is None
