"""The verdict that retry policies will give: as sentences, in a cell, and as plain data."""

from collections.abc import Iterator
from typing import Any

from agent.core.decision.explanation import Explanation
from agent.core.decision.explanation_text import arithmetic, headline, terms
from agent.core.decision.next_step import retries
from agent.core.evidence import ContainerMemory
from agent.core.limit import VerdictAction
from agent.core.units import in_words
from agent.diagnose.foresight import Foreseen


def sentences(explanation: Explanation) -> Iterator[str]:
    """The action, when, where and why; then what it gives the next run, the limits, and what else had a say."""
    yield headline(explanation)
    yield from terms(explanation.mutation, explanation.time_factor)
    if explanation.delay is not None and explanation.delay.seconds:
        yield arithmetic(explanation.delay)
    if explanation.action is VerdictAction.RETRY:
        yield f"retries: {retries(explanation)}"
    yield from explanation.notes if explanation.decider is not None else explanation.notes[1:]


def cell(foreseen: Foreseen | None) -> str:
    """``fail``, ``retry``, ``retry in 30s``; empty for a failure that policies do not decide."""
    if foreseen is None:
        return ""
    verdict = foreseen.verdict
    later = f" in {in_words(verdict.delay.total_seconds())}" if verdict.delay else ""
    return f"{verdict.action.value}{later}"


def document(foreseen: Foreseen | None) -> dict[str, Any] | None:
    """The verdict as plain data; ``None`` for a failure that policies do not decide."""
    if foreseen is None:
        return None
    verdict = foreseen.verdict
    mutation = verdict.mutation
    grown = () if mutation is None else zip(mutation.before, mutation.after, strict=True)
    return {
        "action": verdict.action.value,
        "reason": verdict.reason.value,
        "summary": headline(verdict.explanation),
        "retries": retries(verdict.explanation),
        "policy": verdict.policy,
        "ruleKey": verdict.rule_key,
        "delaySeconds": verdict.delay.total_seconds(),
        "avoidNodes": list(verdict.avoid_nodes),
        "avoidStrength": verdict.avoid_strength.value,
        "memory": [{"container": new.name, "before": _sizes(old), "after": _sizes(new)} for old, new in grown],
        "notes": list(verdict.explanation.notes),
        "assumed": list(foreseen.assumed),
    }


def _sizes(memory: ContainerMemory) -> dict[str, int | None]:
    return {"request": memory.request, "limit": memory.limit}
