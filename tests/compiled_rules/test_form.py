"""Rules are the same after they were stored: their values, and the types of these."""

from pathlib import Path

import pytest
from hypothesis import given

from agent.compiled_rules.form import pack_rules, unpack_rules
from agent.core.classify.rules import Category, Rule, RuleSet
from agent.manifests.categories.packs import load_categories
from tests.core.classify.drawn import rule_sets
from tests.ground.tree import ROOT

EVERY_MATCHER = ROOT / "tests/manifests/categories/every_matcher.yaml"


@given(rules=rule_sets())
def test_rules_are_the_same_afterwards(rules: RuleSet) -> None:
    assert unpack_rules(pack_rules(rules)) == rules


def test_every_matcher_is_the_same_afterwards() -> None:
    rules = load_categories(EVERY_MATCHER.read_text(encoding="utf-8"), file="f.yaml")
    packed = pack_rules(rules)

    assert unpack_rules(packed) == rules
    # Members of enums equal their texts; packed they do not.
    assert pack_rules(unpack_rules(packed)) == packed


def test_a_value_of_another_type_is_refused() -> None:
    rule = Rule(matcher=Path())  # type: ignore[arg-type]  # that is what it is about

    with pytest.raises(TypeError, match="rules have no values of type PosixPath"):
        pack_rules(RuleSet(categories=(Category(name="a", rules=(rule,)),)))
