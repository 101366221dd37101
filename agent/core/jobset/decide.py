"""The decision on failed Jobs of a JobSet: its failure policy proposes, limits can forbid."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from agent.core.jobset.case import ParentCase, Proposal, asked_elsewhere, propose
from agent.core.jobset.child import FailedJob
from agent.core.jobset.condition import FAILED_JOBS, REACHED_MAX_RESTARTS
from agent.core.jobset.gates import Gates
from agent.core.jobset.limits import MAX_RESTARTS, ParentLimit, ask, ask_cap, ask_operator
from agent.core.jobset.words import ACTIONS, COUNTED, FAIL_JOB_SET, RESTARTS_OF_ONE_JOB
from agent.core.retry.backoff import delay
from agent.core.retry.limits import CAP

BUDGET_EXHAUSTED = "RestartBudgetExhausted"
RESTART_FORBIDDEN = "RestartForbidden"

_AT_ONCE = timedelta(0)


class ParentOutcome(StrEnum):
    RESTART_JOB_SET = "restart-jobset"
    RESTART_JOB = "restart-job"
    FAIL_JOB_SET = "fail-jobset"


class ActionError(ValueError):
    """An action that cannot be executed; upstream's reconciler retries forever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentVerdict:
    """The decision on a proposal. ``reason`` and ``message`` are those of its condition or event.

    ``delay`` is the time before Jobs are recreated.
    """

    outcome: ParentOutcome
    proposal: Proposal
    limits: tuple[ParentLimit, ...]
    reason: str
    message: str
    delay: timedelta = _AT_ONCE

    @property
    def job(self) -> FailedJob:
        """The failure that was judged."""
        return self.proposal.job

    @property
    def counts(self) -> bool:
        """Whether it is a restart that counts towards ``maxRestarts``."""
        return self.outcome is not ParentOutcome.FAIL_JOB_SET and self.proposal.action in COUNTED

    @property
    def ledger(self) -> ParentLimit | None:
        """The one limit that a restart is charged to: ``maxRestarts`` if it counts there, else the cap."""
        if self.outcome is ParentOutcome.FAIL_JOB_SET:
            return None
        name = MAX_RESTARTS if self.counts else CAP
        return next((limit for limit in self.limits if limit.name == name), None)


def decide_parent(case: ParentCase, *, draw: float = 0.0) -> ParentVerdict:
    """Judge failed Jobs by their JobSet's policy. Without our options it equals JobSet.

    ``draw``, from 0 to 1, is the random number for jitter. Raises ActionError for an unknown action or one whose gate
    is off, ValueError if no Job failed.
    """
    return weigh(case, propose(case), draw=draw)


def weigh(case: ParentCase, said: Proposal, *, draw: float = 0.0) -> ParentVerdict:
    """Check every limit for a proposal; each can only turn it into a failed JobSet. Raises ActionError as above."""
    _refuse(said.action, case.jobset.gates)
    limits = tuple(_limits(case, said))
    forbidden = [limit for limit in limits if not limit.allowed]
    if said.action == FAIL_JOB_SET or forbidden:
        outcome, wait = ParentOutcome.FAIL_JOB_SET, _AT_ONCE
        reason, base = _why_failed(case, said, forbidden)
    else:
        alone = said.action in RESTARTS_OF_ONE_JOB
        outcome, wait = (ParentOutcome.RESTART_JOB if alone else ParentOutcome.RESTART_JOB_SET), _delay(case, draw)
        reason, base = _of_action(said.action)
    message = f"{base} (first failed job: {said.job.name})"
    return ParentVerdict(outcome=outcome, proposal=said, limits=limits, reason=reason, message=message, delay=wait)


def explain(verdict: ParentVerdict) -> tuple[str, ...]:
    """Return the explanation: the outcome, what decided, what did not apply and why, and a line per limit."""
    said, job = verdict.proposal, verdict.job
    wait = f", after {verdict.delay.total_seconds():g} s" if verdict.delay else ""
    return (
        f"{verdict.outcome}{wait}: {verdict.reason}: {verdict.message}",
        f"decided by: {said.decider}: {said.action}, about {job.name}: {job.reason}: {job.message}",
        *(f"not applied: {why}" for why in said.not_applied),
        *(f"limit: {limit.line}" for limit in verdict.limits),
    )


def why_forbidden(limit: ParentLimit) -> tuple[str, str]:
    """Return the reason and the message of a JobSet that fails because this limit forbids a restart."""
    if limit.name == MAX_RESTARTS:
        return REACHED_MAX_RESTARTS, "jobset failed due to reaching max number of restarts"
    if limit.said:
        return RESTART_FORBIDDEN, f"jobset failed due to {limit.name}"
    return BUDGET_EXHAUSTED, f"jobset failed due to reaching the {limit.name} of {limit.limit}"


def _refuse(action: str, gates: Gates) -> None:
    if action not in ACTIONS:
        raise ActionError(f"failed to find a corresponding action for the FailurePolicyRuleAction {action}")
    if action in RESTARTS_OF_ONE_JOB and not gates.restart_job:
        raise ActionError(f"{action} failure policy action cannot be used when the feature gate RestartJob is disabled")


def _limits(case: ParentCase, said: Proposal) -> Sequence[ParentLimit]:
    own = ask(case.jobset, case.status, case.memory, action=said.action, replicated_job=said.job.replicated_job)
    cap = ask_cap(case.cap, case.memory, action=said.action)
    return (*own, *cap, ask_operator(stopped=case.stopped), *asked_elsewhere(case, said))


def _why_failed(case: ParentCase, said: Proposal, forbidden: Sequence[ParentLimit]) -> tuple[str, str]:
    if case.jobset.spec.failure_policy is None:
        return FAILED_JOBS, "jobset failed due to one or more job failures"
    if said.action == FAIL_JOB_SET:
        return _of_action(said.action)
    return why_forbidden(forbidden[0])


def _of_action(action: str) -> tuple[str, str]:
    return f"{action}FailurePolicyAction", f"applying {action} failure policy action"


def _delay(case: ParentCase, draw: float) -> timedelta:
    chosen = case.jobset.choices.delay
    if chosen is None:
        return _AT_ONCE
    return delay(chosen, number=case.memory.restarts.total + 1, grace=None, draw=draw).duration
