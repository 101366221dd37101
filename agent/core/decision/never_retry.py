"""The verdict on a job that a person asked never to retry again."""

from typing import Final

from msgspec.structs import replace

from agent.core.decision.explanation import Explanation
from agent.core.decision.verdict import Verdict
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.choices import Strength

NEVER_RETRY: Final = "never-retry was requested for the job"


def forbid_retry(verdict: Verdict) -> Verdict:
    """The verdict with Fail in place of Retry; one that fails anyway stays as it is."""
    if verdict.action is VerdictAction.FAIL:
        return verdict
    past = verdict.past._replace(charge=None, backoff_base=0, retried=False, granted_at=None)
    return Verdict(explanation=_forbidden(verdict.explanation), past=past)


def _forbidden(explanation: Explanation) -> Explanation:
    # The first note is the reason where no policy decided.
    notes = explanation.notes if explanation.decider is not None else (NEVER_RETRY, *explanation.notes)
    return replace(
        explanation,
        action=VerdictAction.FAIL,
        reason=Reason.NEVER_RETRY,
        impossible=NEVER_RETRY,
        ledger=None,
        delay=None,
        not_before=None,
        avoid_nodes=(),
        avoid_strength=Strength.REQUIRED,
        mutation=None,
        time_factor=None,
        notes=notes,
    )
