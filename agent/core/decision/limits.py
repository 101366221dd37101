"""Every limit on a proposed retry, and the ledger that it would be charged to."""

from collections.abc import Iterator

from agent.core.decision.judgement import Asked, Circumstances, Proposal
from agent.core.error_table.answer import TableAnswer
from agent.core.failure import Occurrence
from agent.core.history import History
from agent.core.limit import Charge, Counted, Limit, Reason
from agent.core.retry.effective import InEffect
from agent.core.retry.identity import is_of
from agent.core.retry.limits import (
    CAP,
    Course,
    limit_of_budget,
    limit_of_lineage,
    limit_of_retries,
    limit_of_time,
    limit_of_window,
)
from agent.core.retry.policy import RetrySettings


def ask_limits(
    proposal: Proposal,
    policies: InEffect,
    *,
    charge: Charge,
    history: History,
    settings: RetrySettings,
    table: TableAnswer,
    course: Course,
) -> Asked:
    """Check every limit: of the rule that decided, the budget, windows and times, the cap, the error table.

    A cap of ``None`` is no cap. The ledger is the limit of the rule or policy, if this retry adds to what it counts,
    else the cap.
    """
    dialect, key, asked = policies.dialect, proposal.key, []
    ledger: Limit | None = None
    if (bound := _own_limit(proposal, policies, settings)) is not None:
        own = limit_of_retries(*bound, counts=dialect.limit, key=key, history=history)
        asked.append(own)
        adds = dialect.limit is Counted.RULE or course.undisturbed
        ledger = own if adds and own.source != CAP else None
    if (budget := policies.budgets.get(charge)) is not None:
        asked.append(limit_of_budget(charge, budget, history))
    asked.extend(_limits_in_time(proposal, policies, history, course))
    if (cap := settings.global_max_retries) is not None:
        of_all = limit_of_lineage(cap, history)
        asked.append(of_all)
        ledger = ledger or of_all
    return Asked((*asked, *table.limits), ledger)


def _own_limit(proposal: Proposal, policies: InEffect, settings: RetrySettings) -> tuple[int, str, Reason] | None:
    """``rule ?? policy ?? globalMaxRetries``: the number, its source, and the reason of a verdict that it changes."""
    if proposal.rule is None:
        lowest = policies.default_limit
        if lowest is not None:
            return lowest.limit, f"retryLimit of policy {lowest.policy}", Reason.POLICY_LIMIT
    else:
        rule, policy = proposal.rule.rule, proposal.policy.policy
        if rule.retry_limit is not None:
            return rule.retry_limit, "retryLimit of the rule", Reason.RULE_LIMIT
        if policy.retry_limit is not None:
            return policy.retry_limit, f"retryLimit of policy {policy.name}", Reason.POLICY_LIMIT
    cap = settings.global_max_retries
    return None if cap is None else (cap, CAP, Reason.GLOBAL_LIMIT)


def _limits_in_time(proposal: Proposal, policies: InEffect, history: History, course: Course) -> Iterator[Limit]:
    """``giveUpAfter`` and ``window``, of the rule and of its policy; for a default action of every policy in effect."""
    rule, policy = proposal.rule, proposal.policy.policy
    if rule is not None:
        whose = f"rule {rule.number} of policy {policy.name}"
        if rule.rule.give_up is not None:
            yield limit_of_time(rule.rule.give_up, whose, course)
        if rule.rule.window is not None:
            yield limit_of_window(rule.rule.window, whose, history.granted_at.get(rule.key, ()), course)
    for compiled in policies.policies if rule is None else (proposal.policy,):
        if compiled.policy.give_up is not None:
            yield limit_of_time(compiled.policy.give_up, f"policy {compiled.policy.name}", course)
    if policy.window is not None:
        of_policy = (at for key, times in history.granted_at.items() if is_of(key, policy) for at in times)
        yield limit_of_window(policy.window, f"policy {policy.name}", of_policy, course)


def course_of(given: Circumstances) -> Course:
    """How the job has run so far, this run included."""
    history, began_at, lasted = given.history, given.began_at, given.run.lasted
    return Course(
        now=given.now,
        began_at=began_at if history.began_at is None else min(history.began_at, began_at),
        ran=history.ran if lasted is None else history.ran + lasted,
        undisturbed=is_undisturbed(given),
    )


def is_undisturbed(given: Circumstances) -> bool:
    """Whether the run was neither preempted nor returned by its cluster; an expired lease is an ordinary failure."""
    if given.facts.preempted:
        return False
    return not given.run.returned or given.facts.failure.occurrence is Occurrence.LEASE_EXPIRED
