"""Limits: each counts retries granted so far, each is always asked, and each can only forbid (design 5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.history import History
from agent.core.retry.compiled import CompiledPolicy
from agent.core.retry.outcome import Reason
from agent.core.retry.settings import RetrySettings
from agent.core.retry.speak import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit and its answer: ``used`` of ``limit``, allowed while fewer.

    ``counts`` says what is counted, ``source`` where the number is written, ``reason`` the code of a verdict that
    this limit turned.
    """

    counts: str
    used: int
    limit: int
    source: str
    reason: Reason
    allowed: bool


def ask_limits(
    proposal: Proposal, policies: Sequence[CompiledPolicy], *, history: History, settings: RetrySettings
) -> tuple[Limit, ...]:
    """The limit of the rule that spoke (``rule ?? policy ?? globalMaxRetries``), and the cap on all retries."""
    number, source, reason = _effective(proposal, policies, settings)
    used, retries = history.under(proposal.key), history.retries
    cap = settings.global_max_retries
    return (
        Limit(
            counts=f"retries granted under {proposal.key}",
            used=used,
            limit=number,
            source=source,
            reason=reason,
            allowed=used < number,
        ),
        Limit(
            counts="all retries granted",
            used=retries,
            limit=cap,
            source="globalMaxRetries",
            reason=Reason.GLOBAL_LIMIT,
            allowed=retries < cap,
        ),
    )


def _effective(
    proposal: Proposal, policies: Sequence[CompiledPolicy], settings: RetrySettings
) -> tuple[int, str, Reason]:
    if proposal.rule is None:
        return _default_limit(policies, settings)
    rule, policy = proposal.rule.rule, proposal.policy.policy
    if rule.retry_limit is not None:
        return rule.retry_limit, "retryLimit of the rule", Reason.RULE_LIMIT
    if policy.retry_limit is not None:
        return policy.retry_limit, f"retryLimit of policy {policy.name}", Reason.POLICY_LIMIT
    return settings.global_max_retries, "globalMaxRetries", Reason.GLOBAL_LIMIT


def _default_limit(policies: Sequence[CompiledPolicy], settings: RetrySettings) -> tuple[int, str, Reason]:
    """Retries by ``defaultAction`` are held to the lowest limit that any policy writes."""
    written = [(limit, each.policy.name) for each in policies if (limit := each.policy.retry_limit) is not None]
    if not written:
        return settings.global_max_retries, "globalMaxRetries", Reason.GLOBAL_LIMIT
    limit, name = min(written, key=lambda pair: pair[0])
    return limit, f"retryLimit of policy {name}", Reason.POLICY_LIMIT
