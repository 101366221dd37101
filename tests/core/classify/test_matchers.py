"""What each matcher and each named condition means, by example."""

from collections.abc import Iterator

import pytest

from agent.core.classify.classifier import Classifier, compile_rules
from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.explanation import RuleOutcome
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.rules import Rule, RuleSet
from agent.core.classify.signs import Scope
from agent.core.failure import Trust
from agent.patterns import BacktrackingSearches
from tests.core.classify.plain_loop import matching
from tests.core.classify.tables import Row, evidence_of, rows, rule_of, rules_of

MATCHERS = rows("matchers.yaml")
CONDITION_ROWS = rows("conditions.yaml")


def compiled(rules: RuleSet) -> Classifier:
    return compile_rules(rules, searches=BacktrackingSearches(clock=lambda: 0.0))


def condition_ids() -> Iterator[str]:
    return (f"{row['condition']}: {row['name']}" for row in CONDITION_ROWS)


@pytest.mark.parametrize("row", MATCHERS, ids=[row["name"] for row in MATCHERS])
def test_matcher(row: Row) -> None:
    rules, evidence = rules_of(rule_of(row["rule"])), evidence_of(row)
    answer = compiled(rules).classify(evidence)

    if "where" not in row:
        assert not answer.matched
        return
    (match,) = answer.matches
    assert match.where == row["where"]
    assert match.text == row.get("text", match.text)
    assert match.trust == Trust(row.get("trust", match.trust))
    assert match.container == row.get("container", match.container)


@pytest.mark.parametrize("row", MATCHERS, ids=[row["name"] for row in MATCHERS])
def test_matcher_explained(row: Row) -> None:
    (considered,) = compiled(rules_of(rule_of(row["rule"]))).explain(evidence_of(row))

    assert considered.outcome is (RuleOutcome.MATCHED if "where" in row else RuleOutcome.NOT_MATCHED)
    assert row.get("where", row.get("why")) in considered.why


@pytest.mark.parametrize("row", MATCHERS, ids=[row["name"] for row in MATCHERS])
def test_the_plain_loop_means_the_same(row: Row) -> None:
    assert bool(matching(rules_of(rule_of(row["rule"])), evidence_of(row))) == ("where" in row)


@pytest.mark.parametrize("row", CONDITION_ROWS, ids=condition_ids())
def test_condition(row: Row) -> None:
    evidence = evidence_of(row)
    answer = compiled(rules_of(Rule(matcher=Conditions(names=(row["condition"],))))).classify(evidence)

    assert CONDITIONS[row["condition"]].holds(evidence) == ("where" in row)
    assert [match.where for match in answer.matches] == ([row["where"]] if "where" in row else [])
    assert all(match.trust is Trust(row.get("trust", "system")) for match in answer.matches)


def test_every_condition_says_where_it_comes_from() -> None:
    assert len(CONDITIONS) == len(list(CONDITIONS)) > 45
    for name, condition in CONDITIONS.items():
        assert condition.name == name
        assert condition.doc.endswith(".")
        assert condition.source
        assert bool(condition.in_pod) != bool(condition.in_container)
        assert condition.scope is (Scope.CONTAINER if condition.in_container else Scope.POD)


def test_a_condition_of_a_container_may_be_asked_of_one() -> None:
    evidence = evidence_of({"containers": [{"name": "proxy", "ended": {"reason": "OOMKilled", "exit_code": 137}}]})

    assert CONDITIONS["OOMKilled"].holds(evidence, container="proxy")
    assert not CONDITIONS["OOMKilled"].holds(evidence, container="main")


@pytest.mark.parametrize("name", ["OutOf", "OutOfa*", "DisruptionTarget/", "Ready/x", "oomkilled", "", "AppError"])
def test_no_such_condition(name: str) -> None:
    assert name not in CONDITIONS
    with pytest.raises(KeyError):
        CONDITIONS[name]
