"""Compile the shapes of error categories to the rules that core evaluates."""

from collections.abc import Sequence
from typing import TypeVar

from agent.core.classify.rules import (
    AllOf,
    Category,
    Conditions,
    ExitCodes,
    LogTail,
    Matcher,
    NodeCondition,
    NodeConditions,
    NodeLog,
    Pattern,
    PodError,
    PodEvents,
    Rule,
    RuleSet,
    Signals,
    SingleMatcher,
    TerminationMessage,
)
from agent.core.failure import NO_CATEGORY, CategoryAction
from agent.manifests.categories.revision import with_revision
from agent.manifests.categories.shapes import BlockShape, CategoryShape, MatcherShape, RuleShape
from agent.manifests.matchers.exit_codes import as_int32_set
from agent.manifests.matchers.shapes import ExitCodesShape, NodeConditionShape, PatternShape, PodEventsShape

Value = TypeVar("Value")


def compile_block(block: BlockShape) -> RuleSet:
    """Return the rules of a block. ``enabled: false`` leaves nothing in effect, as in Armada."""
    if block.enabled is False:
        return with_revision(RuleSet())
    rules = RuleSet(
        categories=tuple(_category(category) for category in block.categories or ()),
        default_category=block.defaultCategory or NO_CATEGORY,
        default_subcategory=block.defaultSubcategory or "",
    )
    return with_revision(rules)


def _category(shape: CategoryShape) -> Category:
    return Category(
        name=shape.name,
        rules=tuple(_rule(rule) for rule in shape.rules or ()),
        action=shape.action or CategoryAction.RETAIN,
        origin=shape.origin,
        advice=shape.retry,
    )


def _rule(shape: RuleShape) -> Rule:
    return Rule(
        matcher=_matcher(shape),
        container=shape.containerName or None,
        subcategory=shape.subcategory or "",
        hint=shape.hint or "",
        origin=shape.origin,
        advice=shape.retry,
    )


def _matcher(shape: RuleShape) -> Matcher:
    if shape.allOf:
        return AllOf(matchers=tuple(_single(part) for part in shape.allOf))
    return _single(shape)


def _single(shape: MatcherShape) -> SingleMatcher:
    """Return the one matcher; ``faults`` has checked before that there is exactly one."""
    candidates = (
        _conditions(shape.onConditions),
        _exit_codes(shape.onExitCodes),
        _pattern(TerminationMessage, shape.onTerminationMessage),
        _pattern(PodError, shape.onPodError),
        _pod_events(shape.onPodEvents),
        _node_conditions(shape.onNodeConditions),
        _pattern(NodeLog, shape.onNodeLog),
        _pattern(LogTail, shape.onLogTail),
        _signals(shape.onSignals),
    )
    return next(candidate for candidate in candidates if candidate is not None)


def _conditions(names: Sequence[str] | None) -> Conditions | None:
    return Conditions(names=_once(names)) if names else None


def _exit_codes(shape: ExitCodesShape | None) -> ExitCodes | None:
    return ExitCodes(operator=shape.operator, values=as_int32_set(shape.values)) if shape else None


def _signals(numbers: Sequence[int] | None) -> Signals | None:
    return Signals(values=frozenset(numbers)) if numbers else None


_Patterned = TypeVar("_Patterned", TerminationMessage, PodError, NodeLog, LogTail)


def _pattern(kind: type[_Patterned], shape: PatternShape | None) -> _Patterned | None:
    return kind(pattern=Pattern(text=shape.pattern, engine=shape.engine)) if shape else None


def _pod_events(shape: PodEventsShape | None) -> PodEvents | None:
    if shape is None:
        return None
    pattern = Pattern(text=shape.regexp, engine=shape.engine)
    return PodEvents(type=shape.type, pattern=pattern, reason=shape.reason or None)


def _node_conditions(shapes: Sequence[NodeConditionShape] | None) -> NodeConditions | None:
    if not shapes:
        return None
    return NodeConditions(
        any_of=_once([NodeCondition(type=one.type, status=one.status, reason=one.reason or None) for one in shapes])
    )


def _once(values: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))
