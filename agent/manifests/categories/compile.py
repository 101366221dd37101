"""Compile the shapes of error categories to the rules that core evaluates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from agent.core.classify.matchers.registry import AllOf, CategoryMatcher
from agent.core.classify.rules import Category, Matcher, Order, Reach, Role, Rule, RuleSet
from agent.core.failure import NO_CATEGORY, CategoryAction
from agent.manifests.categories.revision import digest, with_revision
from agent.manifests.categories.shapes import MATCHERS, BlockShape, CategoryShape, MatcherShape, RuleShape
from agent.manifests.matchers.written import compiled

Value = TypeVar("Value")


def compile_block(block: BlockShape) -> RuleSet:
    """Return the rules of a block. ``enabled: false`` leaves nothing in effect, as in Armada."""
    if block.enabled is False:
        return with_revision(RuleSet())
    rules = RuleSet(
        categories=tuple(_category(category) for category in block.categories or ()),
        default_category=block.defaultCategory or NO_CATEGORY,
        default_subcategory=block.defaultSubcategory or "",
        order=block.order or Order.FILE,
    )
    return with_revision(rules)


def _category(shape: CategoryShape) -> Category:
    return Category(
        name=shape.name,
        rules=tuple(_rule(rule, category=shape.name) for rule in shape.rules or ()),
        action=shape.action or CategoryAction.RETAIN,
        origin=shape.origin,
        advice=shape.retry,
        condition=shape.condition or False,
    )


def _rule(shape: RuleShape, *, category: str) -> Rule:
    matcher, container = _matcher(shape), shape.containerName or None
    return Rule(
        matcher=matcher,
        name=shape.name or f"{shape.subcategory or category}#{digest(matcher, container)}",
        container=container,
        subcategory=shape.subcategory or "",
        hint=shape.hint or "",
        origin=shape.origin,
        advice=shape.retry,
        after=None if shape.after is None else frozenset(shape.after),
        role=shape.role or Role.CAUSE,
        region=shape.region or Reach.ANY,
        corroborated_by=tuple(_single(part) for part in shape.corroboratedBy or ()),
        proof=shape.proof,
        sources=tuple(shape.sources or ()),
    )


def _matcher(shape: RuleShape) -> Matcher:
    if shape.allOf:
        return AllOf(matchers=tuple(_single(part) for part in shape.allOf))
    return _single(shape)


def _single(shape: MatcherShape) -> CategoryMatcher:
    """Return the one matcher, without repeated values: files that mean the same have the same revision."""
    matcher: CategoryMatcher = compiled(shape, MATCHERS)
    lists: dict[str, Any] = {name: _once(getattr(matcher, name)) for name in matcher.ANY_OF}
    return replace(matcher, **lists) if lists else matcher


def _once(values: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))
