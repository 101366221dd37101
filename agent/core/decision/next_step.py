"""What follows from a verdict: what a person can do, what the next run gets, how many retries are left."""

from agent.core.decision.explanation import DecidedBy, Explanation
from agent.core.decision.explanation_text import named
from agent.core.evidence import ContainerMemory
from agent.core.failure import Advice, Failure, Origin
from agent.core.failure_text.step import hint, joined, step
from agent.core.failure_text.successor import AGAIN, by_controller
from agent.core.limit import Limit, Reason, VerdictAction
from agent.core.retry.choices import Strength
from agent.core.retry.growth import Mutation
from agent.core.units import in_bytes, in_words

_OWN = frozenset({Reason.RULE_LIMIT, Reason.POLICY_LIMIT})
_NAMED_NODES = 2


def next_step(failure: Failure, explanation: Explanation | None, *, controller: str | None) -> str:
    """What to do about a pod that the scheduler does not start again, as one sentence.

    ``explanation`` is that of the verdict, ``None`` without one. ``controller`` is who made the pod, as in
    ``evidence.Pod``.
    """
    if explanation is None:
        return joined(step(failure), "a retry is not decided yet")
    if explanation.action is VerdictAction.FAIL:
        return joined(step(failure), explanation.impossible)
    found = failure.classification
    changed = found.origin is Origin.USER or found.advice is Advice.CHANGED
    return joined(_starter(controller), f"if it fails again: {hint(failure)}" if changed else "")


def _starter(controller: str | None) -> str:
    if controller is None:
        return "whoever made the pod has to start it again; the scheduler starts only jobs that were submitted to it"
    return joined(by_controller(controller), "" if controller else AGAIN)


def granted(explanation: Explanation) -> str:
    """The retry of a verdict: ``retry, 30s after it failed, not on node-4, with more memory for main (1Gi -> 2Gi)``."""
    delay = explanation.delay
    wait = [f"{in_words(delay.seconds)} after it failed"] if delay is not None and delay.seconds else []
    return ", ".join(["retry", *wait, *next_run(explanation)])


def next_run(explanation: Explanation) -> list[str]:
    """What the next run gets: nodes to avoid, more memory, more time."""
    gets: list[str] = []
    if nodes := explanation.avoid_nodes:
        rather = "rather " if explanation.avoid_strength is Strength.PREFERRED else ""
        where = " or ".join(nodes) if len(nodes) <= _NAMED_NODES else f"any of {len(nodes)} nodes"
        gets.append(f"{rather}not on {where}")
    if explanation.mutation is not None:
        gets.append(_memory(explanation.mutation))
    if explanation.time_factor is not None:
        gets.append(f"for up to {explanation.time_factor:g} times as long")
    return gets


def _memory(mutation: Mutation) -> str:
    if not mutation.after:
        return f"with more memory{f' for {mutation.container}' if mutation.container else ''}"
    sizes = [
        f"{new.name} ({_size(old)} -> {_size(new)})" for old, new in zip(mutation.before, mutation.after, strict=True)
    ]
    return f"with more memory for {' and '.join(sizes)}"


def _size(memory: ContainerMemory) -> str:
    return in_bytes(memory.limit or memory.request or 0)


def retries(explanation: Explanation) -> str:
    """Used and remaining retries, with policy and rule; for a verdict without them, the reason."""
    if explanation.mode is DecidedBy.LEGACY:
        said = explanation.notes[0] if explanation.notes else "the legacy formula decides"
        return said if explanation.action is VerdictAction.RETRY else f"no more: {said}"
    if explanation.action is VerdictAction.RETRY:
        return "; ".join(_left(limit, explanation) for limit in explanation.limits) or f"granted by {_who(explanation)}"
    if forbidding := [limit for limit in explanation.limits if not limit.allowed]:
        return "; ".join(f"{_used(limit, limit.used, explanation)}: no more" for limit in forbidding)
    if explanation.impossible:
        return f"no more: {_who(explanation)} says Retry, but {explanation.impossible}"
    decider = explanation.decider
    nobody = "no rule matches, and the " if decider is not None and decider.number is None else ""
    return f"no more: {nobody}{_who(explanation)} says Fail"


def _left(limit: Limit, explanation: Explanation) -> str:
    """How many retries are left after the one that was just granted."""
    return f"{_used(limit, limit.used + 1, explanation)}: {max(limit.limit - limit.used - 1, 0)} left"


def _used(limit: Limit, used: int, explanation: Explanation) -> str:
    whose = _who(explanation) if limit.reason in _OWN else limit.source
    return f"{used} of {limit.limit} used ({whose})"


def _who(explanation: Explanation) -> str:
    return named(explanation.decider) if explanation.decider is not None else explanation.mode.value
