import pytest

from agent.documents.problem import ManifestError, Severity
from agent.manifests.categories.packs import load_categories
from agent.manifests.lint import LintContext, lint

WARNING = frozenset({"Warning"})
RULES = """\
errorCategories:
  - name: first
    rules:
      - onPodEvents: {type: Warning, regexp: a}
      - onPodEvents: {type: Normal, regexp: b}
  - name: second
    rules:
      - allOf: [onExitCodes: {operator: In, values: [1]}, onPodEvents: {regexp: c, type: Normal}]
      - {onLogTail: {pattern: d}, corroboratedBy: [onPodEvents: {regexp: e, type: Normal}]}
"""


def test_a_rule_on_events_that_are_not_watched_is_an_error_with_its_place() -> None:
    problems = lint(RULES, file="rules.yaml", context=LintContext(event_types=WARNING))

    assert [(problem.code, problem.severity, problem.line, problem.column) for problem in problems] == [
        ("unseen-events", Severity.ERROR, 5, 29),
        ("unseen-events", Severity.ERROR, 8, 90),
        ("unseen-events", Severity.ERROR, 9, 83),
    ]
    assert "so this can never corroborate" in problems[2].message
    assert problems[0].path == "errorCategories[0].rules[1].onPodEvents.type"


def test_such_a_file_is_not_loaded() -> None:
    with pytest.raises(ManifestError, match=r"rules\.yaml:5:29: .*Normal events are not watched"):
        load_categories(RULES, file="rules.yaml", event_types=WARNING)


def test_where_both_types_are_watched_it_is() -> None:
    assert len(load_categories(RULES, file="rules.yaml").categories) == 2
