"""Whether a rule matches a failure, on what, or why not (seed, "Rule Types").

Exit codes and a container's conditions are read from the first failed container, messages from every terminated
one; ``containerName`` narrows both to one container. Conditions of the pod are the pod's, whatever container a
rule names.
"""

from collections.abc import Sequence
from typing import assert_never

from agent.core.classify.conditions import CONDITIONS, NamedCondition
from agent.core.classify.description import trust_in_message
from agent.core.classify.pattern import Regex, find
from agent.core.classify.rules import Operator
from agent.core.evidence import Container, Evidence, Pod
from agent.core.failure import Failure, Match, Trust
from agent.core.retry.compiled import CompiledRule
from agent.core.retry.finding import Finding, Matched, Silent, bounded
from agent.core.retry.policy import (
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    Rule,
    TerminationMessage,
)
from agent.core.retry.target import considered, first_failed

_PREEMPTED = CONDITIONS["Preempted"]


def examine(compiled: CompiledRule, failure: Failure) -> Finding:
    """Ask one rule."""
    rule = compiled.rule
    match rule.matcher:
        case ExitCodes() as matcher:
            return _exit_codes(matcher, rule, failure.pod)
        case Conditions():
            return _conditions(compiled, failure)
        case TerminationMessage():
            return _messages(compiled.regex, rule, failure.pod)
        case FailureCategory(names=names):
            return _any_category(names, rule, failure)
        case Category() as matcher:
            return _primary_category(matcher, rule, failure)
        case _:
            assert_never(rule.matcher)


def preempted(failure: Failure) -> bool:
    """Whether the condition ``Preempted`` holds for the pod."""
    return _PREEMPTED.see_in_pod(_evidence(failure)) is not None


def _exit_codes(matcher: ExitCodes, rule: Rule, pod: Pod) -> Finding:
    containers = considered(rule, pod)
    found = first_failed(containers)
    if found is None:
        return Silent(why=_none_failed(rule, containers))
    container, state = found
    code = state.exit_code
    if code is None:
        return Silent(why=f"no exit code is known of container {container.name}")
    if (code in matcher.values) != (matcher.operator is Operator.IN):
        return Silent(why=f"the exit code of container {container.name} is {code}")
    return Matched(
        matcher="onExitCodes",
        where=f"container {container.name}: exit code",
        text=str(code),
        trust=Trust.SYSTEM,
        container=container.name,
    )


def _conditions(compiled: CompiledRule, failure: Failure) -> Finding:
    evidence, targets = _evidence(failure), _condition_targets(compiled.rule, failure.pod)
    for condition in compiled.conditions:
        if (matched := _condition(condition, evidence, targets)) is not None:
            return matched
    looked_at = ", ".join(container.name for container in targets)
    return Silent(why=f"no such condition of the pod or of {f'container {looked_at}' if looked_at else 'a container'}")


def _condition(condition: NamedCondition, evidence: Evidence, targets: Sequence[Container]) -> Matched | None:
    if (seen := condition.see_in_pod(evidence)) is not None:
        return Matched(matcher="onConditions", where=seen.where, text=condition.name, trust=Trust.SYSTEM)
    for container in targets:
        if (seen := condition.see_in_container(container)) is not None:
            return Matched(
                matcher="onConditions",
                where=seen.where,
                text=condition.name,
                trust=Trust.SYSTEM,
                container=container.name,
            )
    return None


def _condition_targets(rule: Rule, pod: Pod) -> tuple[Container, ...]:
    """The first failed container; where none has failed, as in a pod that never started, all that are considered."""
    containers = considered(rule, pod)
    failed = first_failed(containers)
    return containers if rule.container is not None or failed is None else (failed[0],)


def _messages(regex: Regex | None, rule: Rule, pod: Pod) -> Finding:
    if regex is None:
        raise ValueError("a rule on messages was compiled without its pattern")
    containers = considered(rule, pod)
    messages = [(one.name, state) for one in containers if (state := one.ended) is not None and state.message]
    for name, state in messages:
        if (text := find(regex, state.message)) is not None:
            return Matched(
                matcher="onTerminationMessage",
                where=f"container {name}: termination message",
                text=bounded(text),
                trust=trust_in_message(state),
                container=name,
            )
    if not messages:
        return Silent(why="no container it looks at ended with a message")
    return Silent(why=f"not found in the message of container {', '.join(name for name, _ in messages)}")


def _any_category(names: Sequence[str], rule: Rule, failure: Failure) -> Finding:
    given = failure.classification
    categories = given.categories if given.category in given.categories else (given.category, *given.categories)
    listed = next((category for category in categories if category in names), None)
    if listed is None:
        return Silent(why=f"the categories are {', '.join(categories)}")
    return _category(listed, rule, failure, matcher="onFailureCategory")


def _primary_category(matcher: Category, rule: Rule, failure: Failure) -> Finding:
    given = failure.classification
    if given.category != matcher.category:
        return Silent(why=f"the primary category is {given.category}")
    if matcher.subcategory is not None and given.subcategory != matcher.subcategory:
        return Silent(why=f"the subcategory is {given.subcategory or 'empty'}")
    return _category(matcher.category, rule, failure, matcher="onCategory")


def _category(category: str, rule: Rule, failure: Failure, *, matcher: str) -> Finding:
    """A category is a container's where a rule of it matched in that container."""
    matches = [match for match in failure.classification.matches if match.category == category]
    if rule.container is not None:
        matches = [match for match in matches if match.container == rule.container]
        if not matches:
            return Silent(why=f"category {category} was not found in container {rule.container}")
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


def _evidence(failure: Failure) -> Evidence:
    return Evidence(pod=failure.pod, pod_error=failure.pod_error, events=failure.events, node=failure.node)


def _none_failed(rule: Rule, containers: Sequence[Container]) -> str:
    if rule.container is not None and not containers:
        return f"the pod has no container {rule.container}"
    return "no container it looks at ended with a code other than 0"
