"""Compile the shape of a retry policy in the seed's dialect to the value that core decides with."""

from agent.core.classify.rules import NodeCondition
from agent.core.limit import Charge
from agent.core.retry.matchers import (
    AllOf,
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    FailureOrigin,
    Matcher,
    NodeConditions,
    Signals,
    SingleMatcher,
    TerminationMessage,
)
from agent.core.retry.policy import AntiAffinity, BackoffPolicy, MemoryGrowth, PolicyMode, RetryPolicy, Rule
from agent.manifests.matchers.exit_codes import as_int32_set
from agent.manifests.retry.shapes import (
    AntiAffinityShape,
    BackoffShape,
    BudgetsShape,
    MatcherShape,
    MutateShape,
    RetryPolicyShape,
    RuleShape,
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
    )


def _matcher(shape: RuleShape) -> Matcher:
    return AllOf(matchers=tuple(_single(part) for part in shape.allOf)) if shape.allOf else _single(shape)


def _single(shape: MatcherShape) -> SingleMatcher:
    """Return the one matcher; ``load`` has checked before that there is exactly one."""
    candidates: tuple[SingleMatcher | None, ...] = (
        Conditions(names=tuple(shape.onConditions)) if shape.onConditions else None,
        _exit_codes(shape),
        TerminationMessage(pattern=shape.onTerminationMessage.pattern) if shape.onTerminationMessage else None,
        FailureCategory(names=tuple(shape.onFailureCategory)) if shape.onFailureCategory else None,
        Category(category=shape.onCategory, subcategory=shape.onSubcategory) if shape.onCategory else None,
        FailureOrigin(origins=tuple(shape.onOrigin)) if shape.onOrigin else None,
        Signals(values=frozenset(shape.onSignals)) if shape.onSignals else None,
        _node_conditions(shape),
    )
    return next(candidate for candidate in candidates if candidate is not None)


def _exit_codes(shape: MatcherShape) -> ExitCodes | None:
    codes = shape.onExitCodes
    return ExitCodes(operator=codes.operator, values=as_int32_set(codes.values)) if codes else None


def _node_conditions(shape: MatcherShape) -> NodeConditions | None:
    if not shape.onNodeConditions:
        return None
    return NodeConditions(
        any_of=tuple(
            NodeCondition(type=one.type, status=one.status, reason=one.reason or None) for one in shape.onNodeConditions
        )
    )


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
