"""The verdict on one run: what happens, when, on which nodes not, and why."""

from datetime import datetime, timedelta

from msgspec import Struct

from agent.core.decision.explanation import Explanation
from agent.core.history import NOTHING, Past
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.choices import Strength
from agent.core.retry.growth import Mutation

_AT_ONCE = timedelta(0)


class Verdict(Struct, frozen=True, kw_only=True):
    """One verdict; there is at most one for a run (docs/protocol.md: one-verdict-per-run).

    The action is read from the explanation, so that the two cannot differ. ``past`` is what later verdicts need to
    know.
    """

    explanation: Explanation
    past: Past = NOTHING

    @property
    def action(self) -> VerdictAction:
        return self.explanation.action

    @property
    def reason(self) -> Reason:
        return self.explanation.reason

    @property
    def policy(self) -> str | None:
        """The policy that decided; ``None`` in legacy mode."""
        decider = self.explanation.decider
        return None if decider is None else decider.policy

    @property
    def rule_key(self) -> str | None:
        """The key under which retries of the rule that decided count; ``None`` in legacy mode."""
        decider = self.explanation.decider
        return None if decider is None else decider.key

    @property
    def delay(self) -> timedelta:
        """How long the next run waits; 0 unless the action is retry."""
        delay = self.explanation.delay
        return _AT_ONCE if delay is None else delay.duration

    @property
    def not_before(self) -> datetime | None:
        """The time of the decision plus ``delay``; ``None`` unless a policy grants a retry."""
        return self.explanation.not_before

    @property
    def avoid_nodes(self) -> tuple[str, ...]:
        """Where the next run should not go."""
        return self.explanation.avoid_nodes

    @property
    def avoid_strength(self) -> Strength:
        """Whether the next run must not go to those nodes, or only if nothing else is free."""
        return self.explanation.avoid_strength

    @property
    def mutation(self) -> Mutation | None:
        """More memory for the next run; ``None`` unless the action is retry."""
        return self.explanation.mutation if self.action is VerdictAction.RETRY else None

    @property
    def granted_under(self) -> str | None:
        """The key under which a granted retry counts; ``None`` if no policy granted one."""
        return self.rule_key if self.action is VerdictAction.RETRY else None
