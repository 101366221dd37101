"""Reports by which rules this agent classifies: once for each set, also when it is loaded again after another."""

from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256

import msgspec

from agent.cluster.config.rules import RulesInForce
from agent.cluster.spool.entries import RULE_SETS, Forgotten, rule_set_report
from agent.core.run_event import LoadedRule, RuleSetLoaded


class RuleSetReports:
    """Spools a report, by ``put``, where the rules in force are others than the last ones reported.

    ``reported`` are the ids of reports that the spool has; ``rules`` are those that the process starts with.
    """

    def __init__(
        self,
        put: Callable[..., None],
        reported: frozenset[str],
        *,
        cluster_id: str,
        cluster: str,
        clock: Callable[[], datetime],
        rules: RulesInForce,
    ) -> None:
        self._put = put
        self._cluster_id = cluster_id
        self._cluster = cluster
        self._clock = clock
        self._rules = rules
        self._last = max(reported, default="")

    def begin(self) -> None:
        """Report the rules that the process starts with. Call on the event loop."""
        self.report(self._rules)

    def report(self, rules: RulesInForce) -> None:
        """Report these rules, unless they are the last ones reported."""
        # Names are no part of the revision, and an earlier version of the agent reported none.
        prefix = f"{self._cluster_id}/rules/{rules.revision}/{_digest(rules.listed)}/"
        if self._last.startswith(prefix):
            return
        now = self._clock()
        self._last = f"{prefix}{now.isoformat()}"
        loaded = RuleSetLoaded(
            event_id=self._last,
            cluster_id=self._cluster_id,
            cluster=self._cluster,
            revision=rules.revision,
            categories=rules.categories,
            loaded_at=now,
            rules=rules.listed,
            rules_left_out=max(rules.count - len(rules.listed), 0),
        )
        # Only the last set is remembered, so that an earlier one is reported when it comes back.
        self._put(Forgotten(uid=RULE_SETS), rule_set_report(loaded))


def _digest(listed: Sequence[LoadedRule]) -> str:
    return sha256(msgspec.json.encode(listed)).hexdigest()[:16]
