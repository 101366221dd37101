from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from agent.broker.publish.in_flight import LARGEST_PAYLOAD
from agent.cluster.config.rules import MOST_LISTED, RulesInForce, read_rules
from agent.cluster.publish.rule_sets import RuleSetReports
from agent.cluster.spool.entries import RULE_SETS, SpoolEntry
from agent.cluster.spool.spool import Spool
from agent.core.failure import Origin
from agent.core.run_event import LoadedRule, RuleSetLoaded
from agent.core.summary.bounds import FAILURE_BYTES, WORD_BYTES
from agent.settings.cluster import RedactionSettings
from agent.shipped import RULES, shipped
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


def test_a_set_whose_rules_have_other_names_is_reported_again(tmp_path: Path, rules: RulesInForce) -> None:
    (first,) = rules.listed
    agent = Agent(tmp_path, rules)
    for one in (rules, replace(rules, listed=(structs.replace(first, name="killed"),))):
        agent.start()
        agent.load(one)

    assert agent.sent() == [rules.revision, rules.revision]


def test_a_report_names_every_category_that_the_rules_give(tmp_path: Path, rules: RulesInForce) -> None:
    agent = Agent(tmp_path, rules)
    agent.load(rules)

    (row,) = agent.spool.unacknowledged(after=0, at_most=9)
    loaded = decode_any(row.payload)
    assert isinstance(loaded, RuleSetLoaded)
    assert (loaded.cluster, loaded.categories, loaded.loaded_at) == ("east", rules.categories, agent.now)
    assert "memory" in loaded.categories
    (rule,) = loaded.rules
    assert rule == LoadedRule(
        name=rule.name, pack="", category="memory", rule_index=0, subcategory="", origin=Origin.UNKNOWN
    )


def test_the_rules_that_ship_are_reported_each_as_a_match_names_it(tmp_path: Path) -> None:
    agent = Agent(tmp_path, read_rules(shipped(RULES), RedactionSettings()))
    agent.load(agent.rules)

    (row,) = agent.spool.unacknowledged(after=0, at_most=9)
    loaded = decode_any(row.payload)
    assert isinstance(loaded, RuleSetLoaded)
    assert (len(loaded.rules), loaded.rules_left_out) == (agent.rules.count, 0)
    assert len({(rule.pack, rule.category, rule.rule_index) for rule in loaded.rules}) == len(loaded.rules)
    assert all(rule.name and rule.pack and rule.origin for rule in loaded.rules)
    assert len(row.payload) < FAILURE_BYTES * 2


def test_more_rules_than_a_message_has_room_for_are_counted(tmp_path: Path, rules: RulesInForce) -> None:
    (first,) = rules.listed
    word = "☃" * (WORD_BYTES // 3)
    longest = structs.replace(first, name=word, pack=word, category=word, subcategory=word, rule_index=MOST_LISTED)
    agent = Agent(tmp_path, replace(rules, listed=(longest,) * MOST_LISTED, count=MOST_LISTED + 5))
    agent.load(agent.rules)

    (row,) = agent.spool.unacknowledged(after=0, at_most=9)
    loaded = decode_any(row.payload)
    assert isinstance(loaded, RuleSetLoaded)
    assert loaded.rules_left_out == 5
    assert len(row.payload) < LARGEST_PAYLOAD


def test_no_more_rules_are_listed_than_a_message_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.cluster.config.rules.MOST_LISTED", 2)

    read = read_rules(shipped(RULES), RedactionSettings())

    assert len(read.listed) == 2
