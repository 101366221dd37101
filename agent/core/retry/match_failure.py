"""The matchers that look at the failure as a whole: its categories, its origin, the conditions of its node."""

from collections.abc import Sequence

from agent.core.classify.rules import NodeCondition
from agent.core.evidence import Condition, Node
from agent.core.failure import Classification, Match, Trust
from agent.core.retry.matchers import Category, FailureOrigin, Finding, Matched, NodeConditions, bounded


def any_category(names: Sequence[str], named: str | None, given: Classification) -> Finding:
    """Any of the failure's categories is listed; ``named`` is the container the rule names."""
    categories = given.categories if given.category in given.categories else (given.category, *given.categories)
    for category in categories:
        if category in names:
            return _category(category, named, given, matcher="onFailureCategory")
    return f"the categories are {', '.join(categories)}"


def primary_category(matcher: Category, named: str | None, given: Classification) -> Finding:
    """The primary category is this, and so is its subcategory, if one is given."""
    if given.category != matcher.category:
        return f"the primary category is {given.category}"
    if matcher.subcategory is not None and given.subcategory != matcher.subcategory:
        return f"the subcategory is {given.subcategory or 'empty'}"
    return _category(matcher.category, named, given, matcher="onCategory")


def origin(matcher: FailureOrigin, given: Classification) -> Finding:
    """The party that the failure is attributed to is listed."""
    if given.origin not in matcher.origins:
        return f"the origin is {given.origin}"
    return Matched(matcher="onOrigin", where="origin", text=given.origin.value, trust=Trust.SYSTEM)


def node_conditions(matcher: NodeConditions, node: Node | None) -> Finding:
    if node is None:
        return "nothing is known of the node"
    for condition in node.conditions:
        if any(_is(condition, wanted) for wanted in matcher.any_of):
            because = f", reason {condition.reason}" if condition.reason else ""
            where = f"node: condition {condition.type} is {condition.status}{because}"
            text = condition.reason or condition.type
            return Matched(matcher="onNodeConditions", where=where, text=text, trust=Trust.SYSTEM)
    return f"node {node.name} had none of the conditions"


def _is(condition: Condition, wanted: NodeCondition) -> bool:
    return (
        condition.type == wanted.type
        and condition.status == wanted.status
        and wanted.reason in (None, condition.reason)
    )


def _category(category: str, named: str | None, given: Classification, *, matcher: str) -> Finding:
    """A category is a container's where a rule of it matched in that container."""
    matches = [match for match in given.matches if match.category == category]
    if named is not None:
        matches = [match for match in matches if match.container == named]
        if not matches:
            return f"category {category} was not found in container {named}"
    return _by_category(category, matches[0] if matches else None, matcher=matcher)


def _by_category(category: str, source: Match | None, *, matcher: str) -> Matched:
    if source is None:
        return Matched(matcher=matcher, where="category", text=category, trust=Trust.SYSTEM)
    return Matched(
        matcher=matcher,
        where=f"category {category}, by {source.where}",
        text=bounded(source.text),
        trust=source.trust,
        container=source.container,
    )
