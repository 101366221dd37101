"""Limits with their descriptions: each counts retries granted so far, and allows or forbids one more (design 5)."""

from functools import lru_cache

from agent.core.history import History
from agent.core.limit import Charge, Counted, Limit, Reason
from agent.core.retry.effective import Budget

CAP = "globalMaxRetries"
"""The setting with the cap on all retries of a lineage."""

_WORDS = {
    Counted.ALL: "all retries granted",
    Counted.UNDISTURBED: "retries granted after runs neither preempted nor returned",
}


def limit_of_retries(most: int, source: str, reason: Reason, *, counts: Counted, key: str, history: History) -> Limit:
    """A limit on retries; ``key`` is that of the rule that decided."""
    return _limit(counts, key, history.counted(counts, key), most, source, reason)


def limit_of_budget(charge: Charge, budget: Budget, history: History) -> Limit:
    """The limit on retries charged to one class of failures."""
    used = history.charged.get(charge, 0)
    source = f"budget {charge} of policy {budget.policy}"
    return Limit(f"retries charged to {charge}", used, budget.limit, source, Reason.BUDGET, used < budget.limit)


@lru_cache(maxsize=8192)
def _limit(counts: Counted, key: str, used: int, most: int, source: str, reason: Reason) -> Limit:
    """Cached, because there are few rules and numbers are low."""
    words = f"retries granted under {key}" if counts is Counted.RULE else _WORDS[counts]
    return Limit(words, used, most, source, reason, used < most)
