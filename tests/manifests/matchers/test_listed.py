"""Matchers are listed once in core and once in manifests, and nothing may forget one of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from agent.core.classify.matchers.registry import TEXTS, CategoryMatcher, RetryMatcher
from agent.core.retry.wording import matcher_words
from agent.ctl.schema import schema
from agent.documents.shape import Shape
from agent.manifests.categories import shapes as categories
from agent.manifests.categories.packs import load_categories
from agent.manifests.lint import lint
from agent.manifests.matchers.written import Written, list_fields, pattern_fields, written_in
from agent.manifests.retry import shapes as retry
from agent.manifests.retry.load import load_retry_policy

ROOT = Path(__file__).parents[3]
BESIDE = Path(__file__).parents[1]
SIDES = [
    (get_args(CategoryMatcher), categories.MATCHERS, "categories", "docs/categories.md"),
    (get_args(RetryMatcher), retry.SINGLE_MATCHERS, "retrypolicy", "docs/retry-policies.md"),
]
IN_CORE: list[Any] = [matcher for of_core, *_ in SIDES for matcher in of_core]

Known = tuple[tuple[Any, ...], Mapping[str, Written], str, str]


@pytest.mark.parametrize("side", SIDES, ids=lambda side: side[2])
def test_what_core_matches_and_what_may_be_written_are_the_same(side: Known) -> None:
    of_core, written, *_ = side
    assert {matcher.NAME: matcher for matcher in of_core} == {
        name: matcher.matcher for name, matcher in written.items()
    }


def test_each_matcher_has_a_name_of_its_own() -> None:
    assert len({matcher.NAME for matcher in IN_CORE}) == len(set(IN_CORE))


@pytest.mark.parametrize("shape", [categories.MatcherShape, retry.MatcherShape])
def test_every_field_of_a_matcher_is_one(shape: type[Shape]) -> None:
    narrows = {"onSubcategory"}
    assert set(written_in(shape)) == set(shape.model_fields) - narrows


@pytest.mark.parametrize("side", SIDES, ids=lambda side: side[2])
def test_editors_and_readers_know_every_matcher(side: Known) -> None:
    _, written, kind, page = side
    told = (ROOT / page).read_text(encoding="utf-8")
    offered = json.dumps(schema(kind))
    assert [name for name in written if name not in told] == []
    assert [name for name in written if f'"{name}"' not in offered] == []


@pytest.mark.parametrize("side", SIDES, ids=lambda side: side[2])
def test_the_pattern_of_a_matcher_is_checked_where_it_stands(side: Known) -> None:
    """A pattern that does not compile is a fault, and one that is found everywhere or that costs much a finding."""
    _, written, kind, _ = side
    assert set(pattern_fields(written)) == {name for name, matcher in written.items() if matcher.matcher in TEXTS}
    for name, field in pattern_fields(written).items():
        more = {"type": "Warning"} if name == "onPodEvents" else {}
        for pattern, code in (("(", "invalid-pattern"), ("", "matches-everything"), ("(?s)a.*b", "costly-pattern")):
            problems = lint(_document(kind, {name: {field: pattern, **more}}), file="f.yaml")
            assert [problem.code for problem in problems] == [code], f"{name}: {pattern}"


@pytest.mark.parametrize("side", SIDES, ids=lambda side: side[2])
def test_a_repeated_value_is_reported_in_every_list(side: Known) -> None:
    _, written, kind, _ = side
    values = {"onConditions": "OOMKilled", "onSignals": "SIGKILL", "onFailureCategory": "a", "onOrigin": "infra"}
    assert set(list_fields(written)) <= values.keys()
    for name in list_fields(written):
        problems = lint(_document(kind, {name: [values[name], values[name]]}), file="f.yaml")
        assert [problem.code for problem in problems] == ["repeated-value"], name


def test_a_file_with_every_matcher_is_read() -> None:
    """``every_matcher.yaml``, whose revision and keys are pinned, has every matcher, alone and in an ``allOf``."""
    for of_core, written in ((_of_categories(), categories.MATCHERS), (_of_policies(), retry.SINGLE_MATCHERS)):
        assert {type(matcher) for matcher in of_core} == {matcher.matcher for matcher in written.values()}
    assert all(matcher_words(matcher).startswith(matcher.NAME) for matcher in _of_policies())


def _of_categories() -> list[CategoryMatcher]:
    text = (BESIDE / "categories" / "every_matcher.yaml").read_text(encoding="utf-8")
    together = load_categories(text, file="f.yaml").categories[1].rules[0].matcher
    return list(getattr(together, "matchers", ()))


def _of_policies() -> list[RetryMatcher]:
    text = (BESIDE / "retry" / "every_matcher.yaml").read_text(encoding="utf-8")
    rules = load_retry_policy(text, file="f.yaml").rules
    return [part for rule in rules for part in getattr(rule.matcher, "matchers", ())]


def _document(kind: str, matcher: dict[str, Any]) -> str:
    if kind == "categories":
        return json.dumps({"errorCategories": [{"name": "a", "rules": [matcher]}]})
    spec = {"rules": [{"action": "Retry", **matcher}]}
    head = {"apiVersion": retry.API_VERSION, "kind": "RetryPolicy", "metadata": {"name": "p"}}
    return json.dumps({**head, "spec": spec})
