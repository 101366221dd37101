"""Options for a JobSet that upstream does not have; the default is upstream's behaviour (docs/jobsets.md)."""

from dataclasses import dataclass

from agent.core.retry.policy import BackoffPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartBudget:
    """A limit on restarts by an action, because of a replicated job, or both. ``None`` matches any."""

    limit: int
    action: str | None = None
    replicated_job: str | None = None

    def is_about(self, action: str, replicated_job: str | None) -> bool:
        """Return whether a restart is charged to it."""
        return self.action in (None, action) and self.replicated_job in (None, replicated_job)

    @property
    def words(self) -> str:
        """The name of the budget in explanations and messages."""
        parts = (self.action, None if self.replicated_job is None else f"of {self.replicated_job}")
        return f"budget {' '.join(part for part in parts if part)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options that a JobSet sets by annotations.

    ``delay`` is the time before Jobs are recreated; it grows with each restart. ``fresh``: it starts from zero,
    whatever happened to its predecessor of the same name.
    """

    budgets: tuple[RestartBudget, ...] = ()
    delay: BackoffPolicy | None = None
    fresh: bool = False


AS_UPSTREAM = Choices()
