"""Compile the shape of an ``armadaproject.io/v1`` retry policy to the value that core decides with."""

from dataclasses import replace

from agent.core.classify.matchers.category import Category
from agent.core.classify.matchers.registry import AllOf, Matcher, RetryMatcher
from agent.core.limit import Charge
from agent.core.retry.choices import PolicyMode
from agent.core.retry.growth import MemoryGrowth
from agent.core.retry.policy import AntiAffinity, BackoffPolicy, GiveUp, RetryPolicy, Rule, Window
from agent.manifests.matchers.written import compiled
from agent.manifests.retry.shapes import (
    SINGLE_MATCHERS,
    AntiAffinityShape,
    BackoffShape,
    BudgetsShape,
    MatcherShape,
    MutateShape,
    RetryPolicyShape,
    RuleShape,
    TimesShape,
)


def compile_shape(shape: RetryPolicyShape) -> RetryPolicy:
    """Return the policy of a document without faults."""
    spec = shape.spec
    return RetryPolicy(
        name=shape.metadata.name,
        rules=tuple(_rule(rule) for rule in spec.rules or ()),
        default_action=spec.defaultAction,
        retry_limit=spec.retryLimit,
        backoff=compile_backoff(spec.backoff),
        anti_affinity=_anti_affinity(spec.antiAffinity),
        budgets=_budgets(spec.budgets),
        give_up=compile_give_up(spec),
        window=compile_window(spec),
        mode=spec.mode or PolicyMode.LIVE,
        usable_by_annotation=spec.usableByAnnotation is not False,
    )


def compile_backoff(shape: BackoffShape | None) -> BackoffPolicy:
    """Return one level of back-off; a field that is not written is left to the next level."""
    if shape is None:
        return BackoffPolicy()
    return BackoffPolicy(
        initial=shape.initialDelay,
        maximum=shape.maxDelay,
        multiplier=shape.multiplier,
        jitter=shape.jitter,
        reset_after=shape.resetAfter,
    )


def compile_give_up(shape: TimesShape) -> GiveUp | None:
    """``giveUpAfter`` with ``countWaiting``, which is true unless written."""
    return None if shape.giveUpAfter is None else GiveUp(shape.giveUpAfter, shape.countWaiting is not False)


def compile_window(shape: TimesShape) -> Window | None:
    """``window``, if written."""
    return None if shape.window is None else Window(shape.window.retries, shape.window.per)


def _rule(shape: RuleShape) -> Rule:
    return Rule(
        matcher=_matcher(shape),
        action=shape.action,
        name=shape.name,
        container=shape.containerName or None,
        include_init=bool(shape.includeInitContainers),
        retry_limit=shape.retryLimit,
        backoff=compile_backoff(shape.backoff),
        anti_affinity=_anti_affinity(shape.antiAffinity),
        memory=_memory(shape.mutate),
        charge=Charge(shape.charge) if shape.charge else None,
        give_up=compile_give_up(shape),
        window=compile_window(shape),
    )


def _matcher(shape: RuleShape) -> Matcher:
    return AllOf(matchers=tuple(_single(part) for part in shape.allOf)) if shape.allOf else _single(shape)


def _single(shape: MatcherShape) -> RetryMatcher:
    matcher: RetryMatcher = compiled(shape, SINGLE_MATCHERS)
    return replace(matcher, subcategory=shape.onSubcategory) if isinstance(matcher, Category) else matcher


def _anti_affinity(shape: AntiAffinityShape | None) -> AntiAffinity:
    if shape is None:
        return AntiAffinity()
    return AntiAffinity(
        mode=shape.mode,
        strength=shape.strength,
        scope=shape.scope,
        expire_after=shape.expireAfter,
        max_nodes=shape.maxNodes,
    )


def _budgets(shape: BudgetsShape | None) -> dict[Charge, int]:
    return {} if shape is None else {Charge(name): limit for name, limit in shape if limit is not None}


def _memory(shape: MutateShape | None) -> MemoryGrowth | None:
    if shape is None:
        return None
    memory = shape.resources.memory
    return MemoryGrowth(factor=memory.factor, static=memory.static, ceiling=memory.max)
