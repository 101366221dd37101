"""The explanation of a verdict: a value with everything that was used, and the one place where it becomes text."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agent.core.duration import in_words
from agent.core.retry.backoff import Delay
from agent.core.retry.finding import Matched
from agent.core.retry.limits import Limit
from agent.core.retry.outcome import Reason, VerdictAction
from agent.core.retry.policy import Action
from agent.core.retry.speak import Silence


class Mode(StrEnum):
    """Which of the two decided: retry policies, or the formula that holds without them."""

    POLICIES = "policies"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who spoke. ``rule`` is the rule in words, empty for the default action; ``key`` what its retries count under."""

    policy: str
    rule: str = ""
    key: str
    action: Action
    matched: Matched | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a verdict is what it is. ``spoke`` is ``None`` in legacy mode; ``delay`` unless it is a retry.

    ``notes`` are sentences about what else bore on it.
    """

    action: VerdictAction
    reason: Reason
    mode: Mode
    lineage: str
    spoke: Speaker | None = None
    silent: tuple[Silence, ...] = ()
    limits: tuple[Limit, ...] = ()
    delay: Delay | None = None
    not_before: datetime | None = None
    avoid_nodes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def short(explanation: Explanation) -> tuple[str, ...]:
    """What most readers need, a line each: the verdict, on what, and the limits."""
    return (headline(explanation), *_spoken(explanation), *map(_limit, explanation.limits))


def whole(explanation: Explanation) -> tuple[str, ...]:
    """Everything that was used, a line each; begins as ``short`` does."""
    return (
        *short(explanation),
        *(f"silent: policy {each.policy}, {each.rule}: {each.why}" for each in explanation.silent),
        *_arithmetic(explanation),
        *(explanation.notes if explanation.spoke is not None else ()),
        f"mode: {explanation.mode}; counted for {explanation.lineage}",
    )


def headline(explanation: Explanation) -> str:
    """The verdict in one line."""
    return f"{_verdict(explanation)}: {_because(explanation)}"


def _verdict(explanation: Explanation) -> str:
    if explanation.action is VerdictAction.FAIL:
        return "Fail"
    when = "at once" if explanation.delay is None else _when(explanation.delay)
    avoided = f", not on {' or '.join(explanation.avoid_nodes)}" if explanation.avoid_nodes else ""
    return f"Retry {when}{avoided}"


def _when(delay: Delay) -> str:
    return f"in {in_words(delay.seconds)}" if delay.seconds else "at once"


def _because(explanation: Explanation) -> str:
    spoke = explanation.spoke
    if spoke is None:
        return explanation.notes[0] if explanation.notes else "the legacy formula says so"
    said = f"{_who(spoke)} says {spoke.action}"
    forbidding = [limit for limit in explanation.limits if not limit.allowed]
    if spoke.action is Action.FAIL or not forbidding:
        return said
    return f"{said}, but {' and '.join(_used_up(limit) for limit in forbidding)}"


def _who(spoke: Speaker) -> str:
    if spoke.rule:
        return f"policy {spoke.policy}, rule {spoke.rule}"
    return f"no rule matches, and the default action of policy {spoke.policy}"


def _used_up(limit: Limit) -> str:
    return f"{limit.source} is used up ({limit.used} of {limit.limit})"


def _spoken(explanation: Explanation) -> tuple[str, ...]:
    if explanation.spoke is None or explanation.spoke.matched is None:
        return ()
    matched = explanation.spoke.matched
    return (f"matched: {matched.where}: {json.dumps(matched.text, ensure_ascii=False)} ({matched.trust})",)


def _limit(limit: Limit) -> str:
    answer = "allowed" if limit.allowed else "forbidden"
    return f"limit: {limit.counts}: {limit.used} of {limit.limit} ({limit.source}): {answer}"


def _arithmetic(explanation: Explanation) -> tuple[str, ...]:
    delay = explanation.delay
    if delay is None:
        return ()
    product = f"{in_words(delay.initial_seconds)} * {delay.multiplier:g}^{delay.number - 1}"
    line = f"delay: min({product}, {in_words(delay.maximum_seconds)}) = {in_words(delay.backoff_seconds)}"
    if delay.grace_seconds is not None:
        line += f", at least the grace period {in_words(delay.grace_seconds)} = {in_words(delay.seconds)}"
    until = () if explanation.not_before is None else (f"not before: {explanation.not_before.isoformat()}",)
    return (line, *until)
