"""The explanation of a verdict on a failed pod of a Job."""

from agent.core.decision.explanation_text import terms
from agent.core.job.decide import JobLimit, JobVerdict
from agent.core.job.words import FAIL_INDEX, FAIL_JOB


def explain(verdict: JobVerdict) -> tuple[str, ...]:
    """Return its lines: the outcome, what did not apply and why, every limit, what the next pod gets, and notes."""
    return (
        f"{verdict.outcome}: {_because(verdict)}",
        *(f"not applied: {why}" for why in verdict.not_applied),
        *(f"limit: {_line(limit)}" for limit in verdict.limits),
        *terms(verdict.mutation, verdict.time_factor),
        *verdict.notes,
    )


def _because(verdict: JobVerdict) -> str:
    said = f"{verdict.decider} says {verdict.action}"
    if verdict.action == FAIL_JOB:
        return said
    forbidding = [_used_up(limit) for limit in verdict.limits if not limit.allowed]
    if not forbidding:
        return said
    return f"{said}, {'and' if verdict.action == FAIL_INDEX else 'but'} {' and '.join(forbidding)}"


def _used_up(limit: JobLimit) -> str:
    return f"{limit.name} is used up ({limit.count} of {limit.limit})"


def _line(limit: JobLimit) -> str:
    answer = "allowed" if limit.allowed else "forbidden"
    return f"{limit.name}: {limit.count} of {limit.limit}: {answer}"
