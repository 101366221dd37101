"""The legacy formula, which decides without retry policies: Armada's logic before armadaproject/armada#4683."""

from dataclasses import dataclass

from agent.core.decision.explanation import DecidedBy, Explanation, Shadow
from agent.core.decision.growth import NOT_GROWN, grow
from agent.core.decision.verdict import Verdict
from agent.core.history import NOTHING, History, Past
from agent.core.limit import Limit, Reason, VerdictAction
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class PoliciesSkipped:
    """Why policies did not decide, and what is still recorded. ``culprit`` is the container that failed."""

    why: str
    notes: tuple[str, ...] = ()
    shadow: Shadow | None = None
    past: Past = NOTHING
    culprit: str = ""


def decide_legacy(*, run: RunFacts, history: History, settings: RetrySettings, skipped: PoliciesSkipped) -> Verdict:
    """``requeue = not failFast and run was returned and attempts < maxAttemptedRuns``; attempts include this one.

    The error table may forbid what the formula grants.
    """
    attempts = max(history.runs, run.attempt or 0) + 1
    most = settings.max_attempted_runs
    limit = Limit("attempts made", attempts, most, "maxAttemptedRuns", Reason.LEGACY_LIMIT, attempts < most)
    action, reason, why = _formula(run, limit)
    retries = action is VerdictAction.RETRY
    grown = grow(None, run.memory, run.table, culprit=skipped.culprit) if retries else NOT_GROWN
    explanation = Explanation(
        action=action,
        reason=reason,
        mode=DecidedBy.LEGACY,
        lineage=run.lineage,
        limits=((limit,) if run.returned and not run.fail_fast else ()) + run.table.limits,
        ledger=limit if retries else None,
        mutation=grown.mutation,
        time_factor=run.table.time_factor if retries else None,
        shadow=skipped.shadow,
        notes=(f"{skipped.why}, and {why}", *skipped.notes, *run.table.notes, *grown.notes),
    )
    return Verdict(explanation=explanation, past=skipped.past._replace(retried=retries))


def _formula(run: RunFacts, limit: Limit) -> tuple[VerdictAction, Reason, str]:
    if run.fail_fast:
        return VerdictAction.FAIL, Reason.FAIL_FAST, "the job asked to fail fast"
    if not run.returned:
        return VerdictAction.FAIL, Reason.LEGACY, "only a returned run is retried"
    if not limit.allowed:
        return VerdictAction.FAIL, Reason.LEGACY_LIMIT, f"{limit.used} of {limit.limit} attempts are made"
    forbidding = next((limit for limit in run.table.limits if not limit.allowed), None)
    if forbidding is not None:
        return VerdictAction.FAIL, forbidding.reason, f"{forbidding.source} allows {forbidding.limit} runs"
    return VerdictAction.RETRY, Reason.LEGACY, "the run was returned"
