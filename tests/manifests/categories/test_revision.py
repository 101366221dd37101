"""Revisions that are in use, and what they are a hash of."""

from pathlib import Path
from typing import get_args

import pytest

from agent.core.classify.matchers.registry import AllOf, CategoryMatcher
from agent.manifests.categories.packs import load_categories
from agent.manifests.categories.revision import TAGS
from agent.rule_files import read_rules

ROOT = Path(__file__).parents[3]
EVERY = {*get_args(CategoryMatcher), AllOf}
EVERY_MATCHER = Path(__file__).parent / "every_matcher.yaml"


@pytest.mark.parametrize(
    ("file", "revision"),
    [
        (ROOT / "config" / "error-categories.yaml", "c11b3f3b2d5f0939"),
        (ROOT / "config" / "demo" / "cpu-west.yaml", "1be8785241c53eff"),
        (ROOT / "config" / "demo" / "gpu-east.yaml", "776b7b9f7ad98d3c"),
        (EVERY_MATCHER, "d146bf4afcdf8d2b"),
    ],
    ids=lambda given: given.name if isinstance(given, Path) else given,
)
def test_the_revision_of_a_file_does_not_change_between_versions(file: Path, revision: str) -> None:
    """Where the file itself was edited, write its new revision here; without an edit the code is wrong."""
    assert read_rules(file).revision == revision


def test_a_condition_changes_the_revision_only_where_it_is_asked_for() -> None:
    plain = "errorCategories: [{name: a, rules: [{onConditions: [Evicted]}]}]"
    asked, declined, before = (
        load_categories(plain.replace("name: a", name), file="f.yaml").revision
        for name in ("name: a, condition: true", "name: a, condition: false", "name: a")
    )

    assert declined == before
    assert asked != before


def test_the_pinned_file_has_every_matcher() -> None:
    rules = load_categories(EVERY_MATCHER.read_text(encoding="utf-8"), file="f.yaml")
    assert {type(rule.matcher) for category in rules.categories for rule in category.rules} == EVERY


def test_every_matcher_has_a_tag_of_its_own() -> None:
    assert TAGS.keys() >= EVERY
    assert len({*TAGS.values(), ""}) == len(TAGS) + 1
