"""The verdict to expect on a failure that no scheduler was asked about, by the engine that a scheduler has."""

from datetime import datetime

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.failure import Failure
from agent.core.history import History, Past
from agent.core.limit import VerdictAction
from agent.core.retry.effective import InEffect
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts


def foresee(
    failure: Failure,
    *,
    run: RunFacts,
    earlier: int,
    policies: InEffect,
    settings: RetrySettings,
    now: datetime,
) -> Verdict:
    """Decide a failure after ``earlier`` ones of its job, each taken to be like this one.

    Nothing else is known of those: windows count none of them, the job began with this run, and their nodes are not
    avoided. If one of them used up a limit, so would this one: that verdict is the answer.
    """
    history = History()
    for _ in range(earlier):
        before = decide(failure, run=run, history=history, policies=policies, settings=settings, now=now)
        if before.action is VerdictAction.FAIL:
            return before
        history = history.followed_by(before.granted_under, past=_only_counted(before.past))
    return decide(failure, run=run, history=history, policies=policies, settings=settings, now=now)


def _only_counted(past: Past) -> Past:
    return past._replace(granted_at=None, began_at=None, lasted=None, failed_on=None)
