from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent.cluster.config.rules import RulesInForce, read_rules
from agent.cluster.publish.rule_sets import RuleSetReports
from agent.cluster.spool.entries import RULE_SETS, SpoolEntry
from agent.cluster.spool.spool import Spool
from agent.core.run_event import RuleSetLoaded
from agent.settings.cluster import RedactionSettings
from agent.wire.events import decode_any

NOW = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture
def rules(tmp_path: Path) -> RulesInForce:
    file = tmp_path / "rules.yaml"
    file.write_text("errorCategories:\n- {name: memory, rules: [{onConditions: [OOMKilled]}]}\n")
    return read_rules(file, RedactionSettings())


class Agent:
    """An agent's spool, and its process, which can be another."""

    def __init__(self, folder: Path, rules: RulesInForce) -> None:
        self.rules = rules
        self.spool = Spool.open(
            folder / "spool.db", cluster="east", max_bytes=10**9, keep_acknowledged=100, max_events=100
        )
        self.now = NOW
        self.start()

    def start(self) -> None:
        """Begin another process on the spool."""
        reported = self.spool.reported().get(RULE_SETS, frozenset())
        self.reports = RuleSetReports(
            self.put, reported, cluster_id="uid", cluster="east", clock=lambda: self.now, rules=self.rules
        )

    def put(self, *entries: SpoolEntry) -> None:
        self.spool.commit(entries, now=self.now)

    def load(self, rules: RulesInForce) -> None:
        self.now += timedelta(seconds=1)
        self.reports.report(rules)

    def sent(self) -> Sequence[str]:
        """The revisions in the outbox, in order."""
        rows = self.spool.unacknowledged(after=0, at_most=99)
        found = [decode_any(row.payload) for row in rows]
        return [one.revision for one in found if isinstance(one, RuleSetLoaded)]


def test_a_set_is_reported_once_by_whichever_process(tmp_path: Path, rules: RulesInForce) -> None:
    agent = Agent(tmp_path, rules)
    agent.load(rules)
    agent.load(rules)
    agent.start()
    agent.load(rules)

    assert agent.sent() == [rules.revision]


def test_a_set_that_comes_back_after_another_is_reported_again(tmp_path: Path, rules: RulesInForce) -> None:
    agent = Agent(tmp_path, rules)
    for one in (rules, replace(rules, revision="other"), rules):
        agent.start()
        agent.load(one)

    assert agent.sent() == [rules.revision, "other", rules.revision]


def test_a_report_names_every_category_that_the_rules_give(tmp_path: Path, rules: RulesInForce) -> None:
    agent = Agent(tmp_path, rules)
    agent.load(rules)

    (row,) = agent.spool.unacknowledged(after=0, at_most=9)
    loaded = decode_any(row.payload)
    assert isinstance(loaded, RuleSetLoaded)
    assert (loaded.cluster, loaded.categories, loaded.loaded_at) == ("east", rules.categories, agent.now)
    assert "memory" in loaded.categories
