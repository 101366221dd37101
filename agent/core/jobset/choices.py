"""What a JobSet may choose that upstream has not; without a choice it is as upstream (docs/jobsets.md)."""

from dataclasses import dataclass

from agent.core.retry.policy import BackoffPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartBudget:
    """At most so many restarts by an action, because of a replicated job, or both. ``None`` asks nothing."""

    limit: int
    action: str | None = None
    replicated_job: str | None = None

    def is_about(self, action: str, replicated_job: str | None) -> bool:
        """Return whether a restart is charged to it."""
        return self.action in (None, action) and self.replicated_job in (None, replicated_job)

    @property
    def words(self) -> str:
        """What it is called in explanations and messages."""
        parts = (self.action, None if self.replicated_job is None else f"of {self.replicated_job}")
        return f"budget {' '.join(part for part in parts if part)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a JobSet chose by annotations.

    ``delay`` is waited before Jobs are made anew, longer with each restart. ``fresh``: it starts from zero, whatever
    became of its predecessor of the same name.
    """

    budgets: tuple[RestartBudget, ...] = ()
    delay: BackoffPolicy | None = None
    fresh: bool = False


AS_UPSTREAM = Choices()
