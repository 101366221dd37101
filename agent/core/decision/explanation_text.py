"""An explanation as text, for every reader."""

import json
from collections.abc import Iterator
from typing import assert_never

from agent.core.decision.explanation import Decider, Explanation, NotApplied, Shadow
from agent.core.evidence import ContainerMemory
from agent.core.limit import Limit, Unit, VerdictAction
from agent.core.retry.choices import Action, Strength
from agent.core.retry.delay import Delay
from agent.core.retry.growth import MemoryGrowth, Mutation
from agent.core.units import in_bytes, in_words


def short(explanation: Explanation) -> tuple[str, ...]:
    """The lines that most readers need: the verdict, the match, the limits, and policies in shadow."""
    return (
        headline(explanation),
        *_spoken(explanation),
        *map(_limit, explanation.limits),
        *terms(explanation.mutation, explanation.time_factor),
        *_shadow(explanation.shadow),
    )


def whole(explanation: Explanation) -> tuple[str, ...]:
    """Everything that was used, one line each; begins with the lines of ``short``."""
    return (
        *short(explanation),
        *_rule(explanation.decider),
        *(_not_applied(rule) for rule in explanation.not_applied),
        *_arithmetic(explanation),
        *(explanation.notes if explanation.decider is not None else explanation.notes[1:]),
        *_in_effect(explanation),
        *([f"mode: {explanation.mode}; counted for {explanation.lineage}"] if explanation.lineage else []),
    )


def headline(explanation: Explanation) -> str:
    """The verdict in one line."""
    return f"{_verdict(explanation)}: {_because(explanation)}"


def _verdict(explanation: Explanation) -> str:
    if explanation.action is VerdictAction.FAIL:
        return "Fail"
    when = "at once" if explanation.delay is None else _when(explanation.delay)
    where = "preferably not on" if explanation.avoid_strength is Strength.PREFERRED else "not on"
    avoided = f", {where} {' or '.join(explanation.avoid_nodes)}" if explanation.avoid_nodes else ""
    grown = ", with more memory" if explanation.mutation is not None else ""
    return f"Retry {when}{avoided}{grown}"


def _when(delay: Delay) -> str:
    return f"in {in_words(delay.seconds)}" if delay.seconds else "at once"


def _because(explanation: Explanation) -> str:
    decider = explanation.decider
    if decider is None:
        return explanation.notes[0] if explanation.notes else "the legacy formula says so"
    said = f"{_who(decider)} says {decider.action}"
    if decider.action is Action.FAIL:
        return said
    forbidding = [_used_up(limit) for limit in explanation.limits if not limit.allowed]
    but = forbidding or ([explanation.impossible] if explanation.impossible else [])
    return f"{said}, but {' and '.join(but)}" if but else said


def named(decider: Decider) -> str:
    """What decided, by policy, number and name: ``policy demo, rule 1 OOMKilled``."""
    if decider.number is None:
        return f"default action of policy {decider.policy}"
    return f"policy {decider.policy}, rule {decider.number} {decider.label}"


def _who(decider: Decider) -> str:
    return f"no rule matches, and the {named(decider)}" if decider.number is None else named(decider)


def _used_up(limit: Limit) -> str:
    return f"{limit.source} is used up ({used_of(limit)})"


def used_of(limit: Limit) -> str:
    """The numbers of a limit: ``2 of 5``, ``1h30m of 12h``."""
    match limit.unit:
        case Unit.TIMES:
            return f"{limit.used} of {limit.limit}"
        case Unit.SECONDS:
            return f"{in_words(limit.used)} of {in_words(limit.limit)}"
        case _:
            assert_never(limit.unit)


def _spoken(explanation: Explanation) -> tuple[str, ...]:
    if explanation.decider is None or explanation.decider.matched is None:
        return ()
    matched = explanation.decider.matched
    return (f"matched: {matched.where}: {json.dumps(matched.text, ensure_ascii=False)} ({matched.trust})",)


def _rule(decider: Decider | None) -> tuple[str, ...]:
    if decider is None or decider.number is None:
        return ()
    return (f"rule {decider.number} of policy {decider.policy}: {decider.rule}",)


def _not_applied(not_applied: NotApplied) -> str:
    return f"not applied: policy {not_applied.policy}, rule {not_applied.number}: {not_applied.rule}: {not_applied.why}"


def _limit(limit: Limit) -> str:
    answer = "allowed" if limit.allowed else "forbidden"
    return f"limit: {limit.counts}: {used_of(limit)} ({limit.source}): {answer}"


def terms(mutation: Mutation | None, time_factor: float | None) -> Iterator[str]:
    """Lines about the memory and the time that the next run gets in addition."""
    if mutation is not None:
        yield from _memory(mutation)
    if time_factor is not None:
        yield f"time: the next run may take {time_factor:g} times as long"


def _memory(mutation: Mutation) -> Iterator[str]:
    how = _growth(mutation.growth)
    if not mutation.after:
        yield f"memory: of {f'container {mutation.container}' if mutation.container else 'every container'} ({how})"
    for line in _changes(mutation):
        yield f"memory: {line} ({how})"


def _changes(mutation: Mutation) -> Iterator[str]:
    for old, new in zip(mutation.before, mutation.after, strict=True):
        yield f"container {new.name}: {_size(old)} -> {_size(new)}"


def _size(memory: ContainerMemory) -> str:
    request, limit = memory.request or 0, memory.limit or 0
    if request and limit and request != limit:
        return f"{in_bytes(request)}, at most {in_bytes(limit)}"
    return in_bytes(request or limit)


def _growth(growth: MemoryGrowth) -> str:
    how = f"factor {growth.factor:g}" if growth.factor is not None else f"plus {in_bytes(growth.static or 0)}"
    return how if growth.ceiling is None else f"{how}, at most {in_bytes(growth.ceiling)}"


def _shadow(shadow: Shadow | None) -> tuple[str, ...]:
    if shadow is None:
        return ()
    said = f"{_who(shadow.decider)} says {shadow.decider.action}"
    verdict = shadow.action.capitalize()
    return (f"shadow: with {' and '.join(shadow.policies)} live it would be {verdict}: {said} ({shadow.reason})",)


def _arithmetic(explanation: Explanation) -> tuple[str, ...]:
    delay = explanation.delay
    if delay is None:
        return ()
    reset = ("backoff resetAfter: the run lasted long enough, so delays start again",) if delay.reset else ()
    until = () if explanation.not_before is None else (f"not before: {explanation.not_before.isoformat()}",)
    return (arithmetic(delay), *reset, *until)


def arithmetic(delay: Delay) -> str:
    """How long a retry waits, and how that was computed."""
    line = f"delay: {_backoff(delay)}"
    if delay.jitter:
        line += f", less {in_words(delay.jitter_seconds)} by a jitter of {delay.jitter:g}"
    if delay.grace_seconds is not None:
        line += f", at least the grace period {in_words(delay.grace_seconds)} = {in_words(delay.seconds)}"
    return line


def _backoff(delay: Delay) -> str:
    """``30s (at most 5m)``, ``30s * 2^1 = 1m (at most 5m)``; ``5m, the longest (30s * 2^5 = 16m)``."""
    first, longest = in_words(delay.initial_seconds), in_words(delay.maximum_seconds)
    if delay.number == 1 or not delay.initial_seconds:
        product = first
    else:
        grown = "too long" if delay.grown_seconds is None else in_words(delay.grown_seconds)
        product = f"{first} * {delay.multiplier:g}^{delay.number - 1} = {grown}"
    if delay.grown_seconds is None or delay.grown_seconds > delay.maximum_seconds:
        return f"{longest}, the longest ({product})"
    return f"{product} (at most {longest})"


def _in_effect(explanation: Explanation) -> Iterator[str]:
    if explanation.policies:
        versions = explanation.versions or (None,) * len(explanation.policies)
        named = map(_policy, explanation.policies, versions)
        yield f"in effect: {', '.join(named)} ({explanation.dialect})"
    if explanation.charge is not None:
        yield f"budget: {explanation.charge}"
    if (ledger := explanation.ledger) is not None:
        yield f"counted by: {ledger.source} ({ledger.used + 1} of {ledger.limit} with this retry)"


def _policy(name: str, version: int | None) -> str:
    return name if version is None else f"{name} version {version}"
