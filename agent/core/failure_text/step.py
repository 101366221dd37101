"""What a person can do about a failure, as one sentence."""

from agent.core.failure import Advice, Failure
from agent.core.failure_text.quoting import quote
from agent.core.failure_text.signs import STEPS
from agent.core.summary.internal import INTERNAL_CATEGORY, was_refused

ADVICE = {
    Advice.NEVER: "an unchanged retry cannot help",
    Advice.SAME: "the unchanged job may succeed on a retry",
    Advice.ELSEWHERE: "the unchanged job may succeed on another node",
    Advice.CHANGED: "only a changed job may succeed",
}

_REJECTED = "correct what the cluster refused"


def step(failure: Failure) -> str:
    """The hint, and the rule's advice on retries; never empty."""
    advice = failure.classification.advice
    return joined(hint(failure), "" if advice is None else ADVICE[advice]) or "look at its log"


def hint(failure: Failure) -> str:
    """The rule's hint, without the full stop; empty if the rule has none."""
    found = failure.classification
    if not found.matched:
        return "no rule knows this failure: look at its log"
    if found.category == INTERNAL_CATEGORY:
        # the hint of an internal category says what was found, not what to do
        return _REJECTED if was_refused(failure) else STEPS.get(failure.occurrence, "")
    return quote(found.hint).rstrip(".")


def joined(*clauses: str) -> str:
    """Clauses as one sentence, without repetitions."""
    return "; ".join(dict.fromkeys(clause for clause in clauses if clause))
