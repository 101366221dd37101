"""Retry policies: documents that people write, checked as a whole and compiled to what core decides by."""

from collections.abc import Iterator

from agent.core.retry.policy import (
    Avoidance,
    Backoff,
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    Matcher,
    RetryPolicy,
    Rule,
    TerminationMessage,
)
from agent.manifests.category_faults import matcher_fault, pattern_fault
from agent.manifests.checked import Checked, check_text, problems_of, with_faults
from agent.manifests.node import Mapping, Node, Span, Step, find, items, text_at, write_path
from agent.manifests.problem import Problem, quote
from agent.manifests.retry_findings import findings
from agent.manifests.retry_shapes import MATCHERS, AntiAffinityShape, BackoffShape, RetryPolicyShape, RuleShape
from agent.manifests.shape import check
from agent.manifests.source import Fault, Source

KIND = "RetryPolicy"

_RULES = ("spec", "rules")


def load_retry_policy(text: str | bytes, *, file: str) -> RetryPolicy:
    """Return the policy of a file. Raises ``ManifestError`` with every fault at once."""
    return check_text(text, check_retry_policy, file=file).wanted()


def lint_retry_policy(text: str | bytes, *, file: str) -> tuple[Problem, ...]:
    """Return every error, or, if there is none, every finding about a retry policy."""
    return check_text(text, check_retry_policy, file=file).problems


def is_retry_policy(root: Node) -> bool:
    """Return whether a document says that it is a retry policy."""
    return text_at(find(root, ("kind",))) == KIND


def check_retry_policy(root: Node, source: Source) -> Checked[RetryPolicy]:
    """Check one document."""
    shape = check(RetryPolicyShape, root)
    faults = [*shape.faults, *_between(root, source)]
    if faults or shape.value is None:
        return with_faults(faults, source)
    policy = _policy(shape.value)
    return Checked(value=policy, problems=problems_of(findings(policy, root), source))


def _between(root: Node, source: Source) -> Iterator[Fault]:
    """Give the faults that lie between fields; they are looked for in the tree, whatever its shape."""
    named: dict[str, Span] = {}
    for number, rule in items(find(root, _RULES)):
        at = (*_RULES, number)
        if not isinstance(rule, Mapping):
            continue
        yield from matcher_fault(rule, MATCHERS, at=at)
        yield from pattern_fault(rule.get("onTerminationMessage"), "pattern", source, at=(*at, "onTerminationMessage"))
        yield from _subcategory_alone(rule, at=at)
        yield from _name_again(rule, named, at=at)


def _subcategory_alone(rule: Mapping, *, at: tuple[Step, ...]) -> Iterator[Fault]:
    entry = rule.entry("onSubcategory")
    if entry is not None and rule.entry("onCategory") is None:
        message = "`onSubcategory` narrows `onCategory`, which is not there"
        path = write_path((*at, "onSubcategory"))
        yield Fault(code="subcategory-alone", span=entry.span, path=path, message=message)


def _name_again(rule: Mapping, named: dict[str, Span], *, at: tuple[Step, ...]) -> Iterator[Fault]:
    node = rule.get("name")
    name = text_at(node)
    if node is None or not name:
        return
    first = named.setdefault(name, node.span)
    if first is not node.span:
        message = f"the rule {quote(name)} is given twice; first at {first.line}:{first.column}"
        hint = "retries are counted by this name"
        path = write_path((*at, "name"))
        yield Fault(code="duplicate-rule-name", span=node.span, path=path, message=message, hint=hint)


def _policy(shape: RetryPolicyShape) -> RetryPolicy:
    spec = shape.spec
    return RetryPolicy(
        name=shape.metadata.name,
        rules=tuple(_rule(rule) for rule in spec.rules or ()),
        default_action=spec.defaultAction,
        retry_limit=spec.retryLimit,
        backoff=_backoff(spec.backoff),
        avoidance=_avoidance(spec.antiAffinity),
    )


def _rule(shape: RuleShape) -> Rule:
    return Rule(
        matcher=_matcher(shape),
        action=shape.action,
        name=shape.name,
        container=shape.containerName or None,
        include_init=bool(shape.includeInitContainers),
        retry_limit=shape.retryLimit,
        backoff=_backoff(shape.backoff),
        avoidance=_avoidance(shape.antiAffinity),
    )


def _matcher(shape: RuleShape) -> Matcher:
    """Return the one matcher there is; that it is one has been looked at before."""
    candidates: tuple[Matcher | None, ...] = (
        Conditions(names=tuple(shape.onConditions)) if shape.onConditions else None,
        _exit_codes(shape),
        TerminationMessage(pattern=shape.onTerminationMessage.pattern) if shape.onTerminationMessage else None,
        FailureCategory(names=tuple(shape.onFailureCategory)) if shape.onFailureCategory else None,
        Category(category=shape.onCategory, subcategory=shape.onSubcategory) if shape.onCategory else None,
    )
    return next(candidate for candidate in candidates if candidate is not None)


def _exit_codes(shape: RuleShape) -> ExitCodes | None:
    codes = shape.onExitCodes
    return ExitCodes(operator=codes.operator, values=frozenset(codes.values)) if codes else None


def _backoff(shape: BackoffShape | None) -> Backoff:
    if shape is None:
        return Backoff()
    return Backoff(initial=shape.initialDelay, maximum=shape.maxDelay, multiplier=shape.multiplier)


def _avoidance(shape: AntiAffinityShape | None) -> Avoidance | None:
    return shape.mode if shape else None
