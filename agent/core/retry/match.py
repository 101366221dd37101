"""Whether a rule matches a failure, on what, or why not (seed, "Rule Types").

Exit codes, signals and a container's conditions are read from the first failed container, messages from every
terminated one; ``containerName`` narrows all to one container. Conditions of the pod are the pod's, whatever
container a rule names.
"""

from collections.abc import Sequence
from typing import assert_never

from agent.core.classify.description import trust_in_message
from agent.core.classify.pattern import Regex, find
from agent.core.classify.rules import Operator
from agent.core.evidence import Container
from agent.core.exit_status import ending_signal
from agent.core.failure import Trust
from agent.core.retry.compiled import CompiledPart, CompiledRule
from agent.core.retry.facts import Facts
from agent.core.retry.match_failure import any_category, node_conditions, origin, primary_category
from agent.core.retry.matchers import (
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    FailureOrigin,
    Finding,
    Matched,
    NodeConditions,
    Signals,
    TerminationMessage,
    bounded,
)
from agent.core.retry.target import Target


def examine(compiled: CompiledRule, facts: Facts) -> Finding:
    """Hold one rule against the failure: what it matched, or in words why it is silent."""
    looked_at, parts = facts.target(compiled.looks_at), compiled.parts
    return _part(parts[0], looked_at, facts) if len(parts) == 1 else _all_of(parts, looked_at, facts)


def _all_of(parts: Sequence[CompiledPart], looked_at: Target, facts: Facts) -> Finding:
    """Every part, in one and the same container for those that look at containers."""
    silent = ""
    for narrowed in [looked_at.only(container) for container in looked_at.containers] or [looked_at]:
        found = [_part(part, narrowed, facts) for part in parts]
        matched = [one for one in found if isinstance(one, Matched)]
        if len(matched) == len(found):
            return _together(matched)
        silent = silent or next(one for one in found if isinstance(one, str))
    whys = [one for part in parts if isinstance(one := _part(part, looked_at, facts), str)]
    return whys[0] if whys else f"not all in one container: {silent}"


def _together(matched: Sequence[Matched]) -> Matched:
    trusted = all(one.trust is Trust.SYSTEM for one in matched)
    return Matched(
        matcher="allOf",
        where="; ".join(one.where for one in matched),
        text=bounded("; ".join(one.text for one in matched)),
        trust=Trust.SYSTEM if trusted else Trust.USER_TEXT,
        container=next((one.container for one in matched if one.container), ""),
    )


def _part(part: CompiledPart, looked_at: Target, facts: Facts) -> Finding:  # noqa: PLR0911 - one return a kind
    match part.matcher:
        case Conditions():
            return _conditions(part, looked_at, facts)
        case ExitCodes() as matcher:
            return _exit_codes(matcher, looked_at)
        case TerminationMessage():
            return _messages(part.regex, looked_at)
        case FailureCategory(names=names):
            return any_category(names, looked_at.named, facts.failure.classification)
        case Category() as matcher:
            return primary_category(matcher, looked_at.named, facts.failure.classification)
        case Signals() as matcher:
            return _signals(matcher, looked_at)
        case FailureOrigin() as matcher:
            return origin(matcher, facts.failure.classification)
        case NodeConditions() as matcher:
            return node_conditions(matcher, facts.failure.node)
        case _:
            assert_never(part.matcher)


def _exit_codes(matcher: ExitCodes, looked_at: Target) -> Finding:
    if looked_at.failed is None:
        return _none_failed(looked_at)
    container, state = looked_at.failed
    code = state.exit_code
    if code is None:
        return f"no exit code is known of container {container.name}"
    if (code in matcher.values) != (matcher.operator is Operator.IN):
        return f"the exit code of container {container.name} is {code}"
    return _in_container("onExitCodes", container, what="exit code", text=str(code))


def _signals(matcher: Signals, looked_at: Target) -> Finding:
    if looked_at.failed is None:
        return _none_failed(looked_at)
    container, state = looked_at.failed
    signal = ending_signal(state)
    if signal is None:
        return f"no signal ended container {container.name}"
    if signal not in matcher.values:
        return f"signal {signal} ended container {container.name}"
    return _in_container("onSignals", container, what="signal", text=str(signal))


def _in_container(matcher: str, container: Container, *, what: str, text: str) -> Matched:
    where = f"container {container.name}: {what}"
    return Matched(matcher=matcher, where=where, text=text, trust=Trust.SYSTEM, container=container.name)


def _conditions(part: CompiledPart, looked_at: Target, facts: Facts) -> Finding:
    """The first failed container's; where none has failed, as in a pod that never started, those of all."""
    failed = looked_at.failed if looked_at.named is None else None
    containers = looked_at.containers if failed is None else (failed[0],)
    for condition, needs in part.conditions:
        seen = facts.in_pod(condition, needs)
        if seen is not None:
            return Matched(matcher="onConditions", where=seen.where, text=condition.name, trust=Trust.SYSTEM)
        for container in containers if condition.in_container else ():
            seen = facts.in_container(condition, container, needs)
            if seen is not None:
                name = container.name
                return Matched(
                    matcher="onConditions", where=seen.where, text=condition.name, trust=Trust.SYSTEM, container=name
                )
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
            return Matched(
                matcher="onTerminationMessage",
                where=f"container {container.name}: termination message",
                text=bounded(text),
                trust=trust_in_message(state),
                container=container.name,
            )
    if not names:
        return "no container it looks at ended with a message"
    return f"not found in the message of container {', '.join(names)}"


def _none_failed(looked_at: Target) -> str:
    if looked_at.named is not None and not looked_at.containers:
        return f"the pod has no container {looked_at.named}"
    return "no container it looks at ended with a code other than 0"
