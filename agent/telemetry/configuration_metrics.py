"""Metrics of a process's configuration, shared by every process that reads its files again."""

from prometheus_client import Counter, Gauge, Info

RULES = Info("failure_agent_rules", "The error categories in effect: a hash of their meaning.")
POLICIES = Info("failure_agent_policies", "The retry policies in effect: a hash of their files and settings.")

RELOADS = Counter(
    "failure_agent_configuration_reloads", "Changed settings or files that were taken or refused.", ["outcome"]
)
REFUSED = Gauge(
    "failure_agent_configuration_refused",
    "1 while settings or files are invalid and the last valid ones stay in effect.",
)
RESTART_NEEDED = Gauge(
    "failure_agent_configuration_restart_needed", "Changed settings that take effect only after a restart."
)


def taken(*, restart_needed: int) -> None:
    """Record that changed files took effect, except settings that need a restart."""
    RELOADS.labels("taken").inc()
    REFUSED.set(0)
    RESTART_NEEDED.set(restart_needed)


def refused() -> None:
    """Record that changed files cannot be used, and that what was read before stays in effect."""
    RELOADS.labels("refused").inc()
    REFUSED.set(1)
