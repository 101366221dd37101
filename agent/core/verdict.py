"""The verdict on one run: what is to happen, when, where not, and why."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.explanation import Explanation
from agent.core.history import NOTHING, Past
from agent.core.retry.memory import Mutation
from agent.core.retry.outcome import Reason, VerdictAction
from agent.core.retry.policy import Strength


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One verdict; there is at most one for a run (design 4.6).

    ``policy`` and ``rule_key`` are who spoke, ``None`` in legacy mode. ``not_before`` is the time of the decision plus
    ``delay`` and is ``None`` unless the action is retry; so is ``mutation``, and ``avoid_nodes`` is empty. ``past`` is
    what it leaves to later verdicts.
    """

    action: VerdictAction
    reason: Reason
    policy: str | None = None
    rule_key: str | None = None
    delay: timedelta = timedelta(0)
    not_before: datetime | None = None
    avoid_nodes: tuple[str, ...] = ()
    avoid_strength: Strength = Strength.REQUIRED
    mutation: Mutation | None = None
    past: Past = NOTHING
    explanation: Explanation

    @property
    def granted_under(self) -> str | None:
        """The key a granted retry counts under; ``None`` where no policy granted one."""
        return self.rule_key if self.action is VerdictAction.RETRY else None
