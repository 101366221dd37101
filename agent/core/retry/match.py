"""Whether a rule matches a failure, on what text, or why not (armadaproject/armada#4683, "Rule Types").

Exit codes, signals and conditions of containers are read from the first failed container, messages from every
terminated one, but not from followers, such as a sidecar that was stopped after the main container had failed;
``containerName`` restricts all of these to one container, a follower too. Conditions of the pod apply whatever
container a rule names.
"""

from collections.abc import Sequence
from typing import assert_never

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.matcher import FailureMatcher, NumberMatcher
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.matchers.sight import Finding, Sight, bounded, together
from agent.core.classify.matchers.termination_message import TerminationMessage, in_message
from agent.core.classify.pattern import Regex, find
from agent.core.retry.compiled import CompiledPart, CompiledRule
from agent.core.retry.facts import Facts
from agent.core.retry.matched import Matched
from agent.core.retry.target import Target


def examine(compiled: CompiledRule, facts: Facts) -> Matched | str:
    """Match one rule against the failure: what it matched, or why it did not."""
    looked_at, parts = facts.target(compiled.looks_at), compiled.parts
    alone = len(parts) == 1
    found = _part(parts[0], looked_at, facts) if alone else _all_of(parts, looked_at, facts)
    if isinstance(found, str):
        return found
    name = parts[0].matcher.NAME if alone else AllOf.NAME
    where, text, trust, container = found
    return Matched(matcher=name, where=where, text=text, trust=trust, container=container)


def _all_of(parts: Sequence[CompiledPart], looked_at: Target, facts: Facts) -> Finding:
    """Every part; those that look at containers must match the same container."""
    why_not = ""
    for narrowed in [looked_at.only(container) for container in looked_at.containers] or [looked_at]:
        found = [_part(part, narrowed, facts) for part in parts]
        sights = [finding for finding in found if isinstance(finding, Sight)]
        if len(sights) == len(found):
            seen = together(sights, container=next((sight.container for sight in sights if sight.container), ""))
            return seen._replace(text=bounded(seen.text))
        why_not = why_not or next(finding for finding in found if isinstance(finding, str))
    whys = [why for part in parts if isinstance(why := _part(part, looked_at, facts), str)]
    return whys[0] if whys else f"not all in one container: {why_not}"


def _part(part: CompiledPart, looked_at: Target, facts: Facts) -> Finding:
    match part.matcher:
        case Conditions():
            return _conditions(part, looked_at, facts)
        case NumberMatcher() as matcher:
            return _number(matcher, looked_at)
        case TerminationMessage():
            return _messages(part.regex, looked_at)
        case FailureMatcher() as matcher:
            return matcher.find(looked_at.named, facts.failure)
        case _:
            assert_never(part.matcher)


def _number(matcher: NumberMatcher, looked_at: Target) -> Finding:
    if looked_at.failed is None:
        return _none_failed(looked_at)
    container, _ = looked_at.failed
    number = matcher.number_of(container)
    if number is None or not matcher.matches(number):
        return matcher.not_found(container.name, number)
    return Sight(f"container {container.name}: {matcher.NUMBER}", str(number), container=container.name)


def _conditions(part: CompiledPart, looked_at: Target, facts: Facts) -> Finding:
    """The conditions of the first failed container; if none has failed (the pod never started), of all containers."""
    failed = looked_at.failed if looked_at.named is None else None
    containers = looked_at.containers if failed is None else (failed[0],)
    for condition, needs in part.conditions:
        seen = facts.in_pod(condition, needs) if condition.in_pod else None
        if seen is not None:
            return Sight(seen.where, condition.name)
        for container in containers if condition.in_container else ():
            seen = facts.in_container(condition, container, needs)
            if seen is not None:
                return Sight(seen.where, condition.name, container=container.name)
    names = ", ".join([container.name for container in containers])
    return f"no such condition of the pod or of {f'container {names}' if names else 'a container'}"


def _messages(regex: Regex | None, looked_at: Target) -> Finding:
    if regex is None:
        raise ValueError("a rule on messages was compiled without its pattern")
    names = []
    for container in looked_at.containers:
        state = container.ended
        if state is None or not state.message:
            continue
        names.append(container.name)
        if (text := find(regex, state.message)) is not None:
            return in_message(container, state, bounded(text))
    if not names:
        return "no container it looks at ended with a message"
    return f"not found in the message of container {', '.join(names)}"


def _none_failed(looked_at: Target) -> str:
    if looked_at.named is not None and not looked_at.containers:
        return f"the pod has no container {looked_at.named}"
    return "no container it looks at exited with a non-zero code"
