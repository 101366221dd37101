"""Exit codes of Windows, which are above int32: as a pod says them, as rules and policies list them."""

import json
from typing import Any

import pytest

from agent.core.classify.classifier import compile_rules
from agent.core.classify.rules import RuleSet
from agent.core.failure import Occurrence
from agent.core.retry.compiled import compile_policy
from agent.core.retry.facts import Facts
from agent.core.retry.match import examine
from agent.core.retry.matched import Matched
from agent.core.summary.redaction import Redactor
from agent.core.summary.submission import Submission
from agent.core.summary.summary import summarise
from agent.manifests.categories.packs import load_categories
from agent.manifests.retry.load import load_retry_policy
from agent.observe.evidence import read_evidence
from agent.patterns import BacktrackingSearches
from tests.observe.pods import pod, status, terminated

ACCESS_VIOLATION = 0xC0000005


@pytest.mark.parametrize("said", [ACCESS_VIOLATION, ACCESS_VIOLATION - 2**32])
@pytest.mark.parametrize("listed", [ACCESS_VIOLATION, ACCESS_VIOLATION - 2**32])
@pytest.mark.parametrize("operator", ["In", "NotIn"])
def test_a_code_of_windows_is_known_by_either_name(said: int, listed: int, operator: str) -> None:
    rule = {"onExitCodes": {"operator": operator, "values": [listed]}}
    seen = read_evidence(pod(status("Failed", terminated(said))), occurrence=Occurrence.POD_FAILED)
    given = compile_rules(_categories(rule), searches=BacktrackingSearches(clock=lambda: 0.0)).classify(seen)
    failure = summarise(seen, given, occurrence=Occurrence.POD_FAILED, submitted=Submission(), redactor=Redactor())

    assert given.matched is (operator == "In")
    assert isinstance(_asked(rule, Facts(failure)), Matched) is (operator == "In")


def _categories(rule: dict[str, Any]) -> RuleSet:
    return load_categories(json.dumps({"errorCategories": [{"name": "a", "rules": [rule]}]}), file="f.yaml")


def _asked(rule: dict[str, Any], facts: Facts) -> object:
    document = {
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryPolicy",
        "metadata": {"name": "p"},
        "spec": {"retryLimit": 1, "defaultAction": "Fail", "rules": [{"action": "Retry", **rule}]},
    }
    policy = compile_policy(load_retry_policy(json.dumps(document), file="p.yaml"))
    return examine(policy.rules[0], facts)
