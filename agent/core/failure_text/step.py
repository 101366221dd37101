"""What a person can do about a failure, as one sentence."""

from agent.core.classify.advised import advised
from agent.core.failure import Advised, Failure
from agent.core.failure_text.quoting import quote
from agent.core.failure_text.signs import STEPS
from agent.core.summary.internal import INTERNAL_CATEGORY, was_refused

ADVICE = {
    Advised.NEVER: "an unchanged retry cannot help",
    Advised.SAME: "the unchanged job may succeed on a retry",
    Advised.ELSEWHERE: "the unchanged job may succeed on another node",
    Advised.CHANGED: "only a changed job may succeed",
    Advised.TRY: "the unchanged job is worth one retry",
    Advised.TRY_ELSEWHERE: "the unchanged job is worth one retry, rather on another node",
}

_AGAIN = frozenset({Advised.SAME, Advised.ELSEWHERE, Advised.TRY, Advised.TRY_ELSEWHERE})

_REJECTED = "correct what the cluster refused"


def step(failure: Failure) -> str:
    """The hint, and what is advised in effect; never empty."""
    advice = advised(failure.classification)
    return joined(hint(failure), "" if advice is None else ADVICE[advice]) or "look at its log"


def is_advised(failure: Failure) -> bool:
    """Whether it is advised to run the unchanged job again."""
    return advised(failure.classification) in _AGAIN


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
