"""What is said of the rest of a document is true of the whole, and has its place in the whole."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.documents.compose import read
from agent.documents.node import find
from agent.documents.problem import Problem, Severity, errors_of
from agent.documents.remainder import check_everything
from agent.manifests.lint import lint
from agent.manifests.retry.load import check_retry_policy

GOOD: list[dict[str, Any]] = [
    {"action": "Retry", "onConditions": ["OOMKilled"]},
    {"action": "Fail", "onConditions": ["OOMKilled"], "retryLimit": 1},
    {"action": "Retry", "onExitCodes": {"operator": "In", "values": [3, 3]}},
    {"action": "Retry", "retryLimit": 0, "onOrigin": ["infra"]},
    {"action": "Retry", "onSignals": [9]},
]
BAD: list[Any] = [
    {"action": "Rety", "onConditions": ["OOMKilled"]},
    {"action": "Retry"},
    {"action": "Retry", "onConditions": ["OOMKiled"], "onSignals": [9]},
    {"action": "Retry", "allOf": [{"onConditions": ["OOMKilled"]}, {"onSignals": ["SIGNOT"]}]},
    {"action": "Retry", "onExitCodes": {"operator": "In", "values": ["3"]}},
    "Retry",
    {},
]
RULES = st.lists(st.one_of(st.sampled_from(GOOD), st.sampled_from(BAD)), max_size=7)


def policy(rules: list[Any]) -> str:
    document = {
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryPolicy",
        "metadata": {"name": "p"},
        "spec": {"rules": rules},
    }
    return json.dumps(document, indent=1)


def told(problems: tuple[Problem, ...]) -> set[tuple[str, str]]:
    return {(problem.code, problem.path) for problem in problems if problem.severity is Severity.WARNING}


@given(rules=RULES)
def test_problems_of_good_rules_do_not_depend_on_bad_rules(rules: list[Any]) -> None:
    places = [place for place, rule in enumerate(rules) if rule in GOOD]
    alone = lint(policy([rules[place] for place in places]), file="f")
    in_place = {
        (code, path.replace(f"rules[{number}]", f"rules[{place}]"))
        for code, path in told(alone)
        for number, place in enumerate(places)
        if f"rules[{number}]" in path
    }

    found = told(lint(policy(rules), file="f"))

    assert {problem for problem in found if any(f"rules[{place}]" in problem[1] for place in places)} == in_place


@given(rules=RULES)
def test_every_path_leads_to_the_line_that_is_shown(rules: list[Any]) -> None:
    documents = read(policy(rules), file="f")
    (root,) = documents.roots
    for problem in lint(policy(rules), file="f"):
        node = next(found for path in _prefixes(problem.path) if (found := find(root, path)) is not None)
        assert node.span.line <= problem.line


@given(rules=RULES)
def test_no_error_is_lost_and_a_document_without_one_is_checked_once(rules: list[Any]) -> None:
    documents = read(policy(rules), file="f")
    once = check_retry_policy(documents.roots[0], documents.source)
    whole = check_everything(check_retry_policy, documents.roots[0], documents.source)

    assert set(errors_of(once.problems)) <= set(errors_of(whole.problems))
    assert once.value is None or (whole.problems, whole.value) == (once.problems, once.value)
    assert whole.value is not None


def _prefixes(path: str) -> list[tuple[str | int, ...]]:
    words = path.replace("[", ".").replace("]", "").split(".")
    steps = [int(word) if word.isdigit() else word for word in words]
    return [tuple(steps[:end]) for end in range(len(steps), -1, -1)]
