"""The formula that decides without retry policies (design 5; seed, "Current logic")."""

from agent.core.explanation import Explanation, Mode
from agent.core.history import History
from agent.core.retry.limits import Limit
from agent.core.retry.outcome import Reason, VerdictAction
from agent.core.retry.settings import RetrySettings
from agent.core.run import RunFacts
from agent.core.verdict import Verdict


def decide_legacy(*, run: RunFacts, history: History, settings: RetrySettings) -> Verdict:
    """``requeue = not failFast and run was returned and attempts < maxAttemptedRuns``; attempts include this one."""
    attempts = max(history.runs, run.attempt or 0) + 1
    limit = Limit(
        counts="attempts made",
        used=attempts,
        limit=settings.max_attempted_runs,
        source="maxAttemptedRuns",
        reason=Reason.LEGACY_LIMIT,
        allowed=attempts < settings.max_attempted_runs,
    )
    action, reason, why = _formula(run, limit)
    off = "retry policies are off" if not settings.enabled else "no retry policy is in effect"
    explanation = Explanation(
        action=action,
        reason=reason,
        mode=Mode.LEGACY,
        lineage=run.lineage,
        limits=(limit,) if run.returned else (),
        notes=(f"{off}, and {why}",),
    )
    return Verdict(action=action, reason=reason, explanation=explanation)


def _formula(run: RunFacts, limit: Limit) -> tuple[VerdictAction, Reason, str]:
    if not run.returned:
        return VerdictAction.FAIL, Reason.LEGACY, "only a run that was returned is tried again"
    if run.fail_fast:
        return VerdictAction.FAIL, Reason.LEGACY, "the job asked to fail fast"
    if not limit.allowed:
        return VerdictAction.FAIL, Reason.LEGACY_LIMIT, f"{limit.used} of {limit.limit} attempts are made"
    return VerdictAction.RETRY, Reason.LEGACY, "the run was returned"
