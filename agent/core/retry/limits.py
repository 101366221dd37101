"""Limits: each counts retries granted so far, each is always asked, and each can only forbid (design 5)."""

from functools import lru_cache

from agent.core.history import History
from agent.core.limit import Charge, Counted, Limit, Reason
from agent.core.retry.effective import InEffect
from agent.core.retry.policy import RetrySettings
from agent.core.retry.speak import Proposal

_CAP = "globalMaxRetries"
_WORDS = {
    Counted.ALL: "all retries granted",
    Counted.UNDISTURBED: "retries granted after runs neither preempted nor returned",
}


def ask_limits(
    proposal: Proposal, policies: InEffect, *, charge: Charge, history: History, settings: RetrySettings
) -> tuple[Limit, ...]:
    """The limit of the rule that spoke (``rule ?? policy ?? globalMaxRetries``), the budget, the cap on all retries.

    A cap of ``None`` is none.
    """
    dialect, asked = policies.dialect, []
    effective = _effective(proposal, policies, settings)
    if effective is not None:
        number, source, reason = effective
        used = history.counted(dialect.limit, proposal.key)
        asked.append(Limit(_counts(dialect.limit, proposal.key), used, number, source, reason, used < number))
    budget = policies.budgets.get(charge)
    if budget is not None:
        used, source = history.charged.get(charge, 0), f"budget {charge} of policy {budget.policy}"
        allowed = used < budget.limit
        asked.append(Limit(f"retries charged to {charge}", used, budget.limit, source, Reason.BUDGET, allowed))
    cap = settings.global_max_retries
    if cap is not None:
        used = history.counted(dialect.cap, proposal.key)
        asked.append(Limit(_counts(dialect.cap, proposal.key), used, cap, _CAP, Reason.GLOBAL_LIMIT, used < cap))
    return tuple(asked)


def _effective(proposal: Proposal, policies: InEffect, settings: RetrySettings) -> tuple[int, str, Reason] | None:
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
    return None if cap is None else (cap, _CAP, Reason.GLOBAL_LIMIT)


@lru_cache(maxsize=4096)
def _counts(what: Counted, key: str) -> str:
    return f"retries granted under {key}" if what is Counted.RULE else _WORDS[what]
