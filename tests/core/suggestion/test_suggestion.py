"""Laws of what is suggested, and the rules by example: the examples are in suggestion.yaml next to this file."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.identity.conditions import INFRASTRUCTURE
from agent.core.job.defaults import defaulted
from agent.core.job.match import match
from agent.core.job.pod import JobContainer, JobPod, PodCondition
from agent.core.job.reading import read_spec
from agent.core.job.validation import validate_spec
from agent.core.jobset.defaults import defaulted as defaulted_jobset
from agent.core.jobset.gates import ALL_OFF
from agent.core.jobset.reading import read_jobset_spec
from agent.core.jobset.validation import validate
from agent.core.suggestion.change import Suggestion, apply
from agent.core.suggestion.job import suggest_job
from agent.core.suggestion.jobset import suggest_jobset
from agent.core.suggestion.rules import TooManyRulesError
from agent.core.suggestion.together import Relation, judge
from tests.core.suggestion.drawn import documents, jobsets
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).with_name("suggestion.yaml"))
SAID = st.sampled_from((None, *Relation))


def changed(document: dict[str, Any], suggestion: Suggestion) -> dict[str, Any]:
    result = deepcopy(document)
    for change in suggestion.changes:
        apply(change, result)
    return result


def suggested(document: dict[str, Any], said: Relation | None = None) -> Suggestion:
    suggest = suggest_job if document["kind"] == "Job" else suggest_jobset
    return suggest(document, said=said).suggestion


@given(documents(), SAID)
def test_kubernetes_takes_a_job_with_the_suggestion(document: dict[str, Any], said: Relation | None) -> None:
    result = changed(document, suggested(document, said))

    assert list(validate_spec(defaulted(read_spec(result["spec"])))) == []


@given(jobsets(), SAID)
def test_jobset_takes_a_jobset_with_the_suggestion(document: dict[str, Any], said: Relation | None) -> None:
    result = changed(document, suggested(document, said))

    assert list(validate("train", defaulted_jobset(read_jobset_spec(result["spec"])), gates=ALL_OFF)) == []


@given(documents() | jobsets(), SAID)
def test_a_suggestion_for_its_own_result_is_empty(document: dict[str, Any], said: Relation | None) -> None:
    first = suggested(document, said)
    again = suggested(changed(document, first), said)

    assert again.changes == ()


@given(documents(), st.sampled_from((1, 2, 42, 137, 143, None)), SAID)
def test_a_pod_lost_to_infrastructure_does_what_is_suggested_unless_a_warning_says_otherwise(
    document: dict[str, Any], code: int | None, said: Relation | None
) -> None:
    suggestion = suggest_job(document, said=said)
    conditions = (PodCondition(type="Ready", status="True"), PodCondition(type=INFRASTRUCTURE, status="True"))
    containers = () if code is None else (JobContainer(name="main", exit_code=code),)
    pod = JobPod(uid="u", phase="Failed", containers=containers, conditions=conditions)

    policy = read_spec(changed(document, suggestion.suggestion)["spec"]).pod_failure_policy
    action = match(policy, pod).action

    wanted = {Relation.INDEPENDENT: "Ignore", Relation.TOGETHER: "FailJob"}[suggestion.judged.relation]
    prevented = [text for text in suggestion.suggestion.warnings if "is kept" in text or "decides before" in text]
    assert action == wanted or prevented


@given(documents() | jobsets())
def test_nothing_suggested_replaces_a_pod_alone_where_pods_need_one_another(document: dict[str, Any]) -> None:
    added = [change.value for change in suggested(document).changes if hasattr(change, "value")]
    together = document["kind"] == "JobSet" or judge(document).relation is Relation.TOGETHER
    ignores = [value for value in added if isinstance(value, dict) and value.get("action") == "Ignore"]

    written = any("Ignore" in str(rule) and INFRASTRUCTURE in str(rule) for rule in _rules_of(document))
    assert not (together and ignores) or written


def _rules_of(document: dict[str, Any]) -> list[Any]:
    specs = [document["spec"]] if document["kind"] == "Job" else _templates(document)
    return [rule for spec in specs for rule in spec.get("podFailurePolicy", {}).get("rules", [])]


def _templates(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [replicated["template"]["spec"] for replicated in document["spec"]["replicatedJobs"]]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_rules_by_example(case: dict[str, Any]) -> None:
    said = Relation(case["said"]) if "said" in case else None
    suggestion = suggested(case["document"], said)
    result = changed(case["document"], suggestion)["spec"]

    spec = result if case["document"]["kind"] == "Job" else _templates({"spec": result})[0]
    assert [_line(rule) for rule in spec["podFailurePolicy"]["rules"]] == case["rules"]
    assert (spec["podReplacementPolicy"], spec["template"]["spec"]["restartPolicy"]) == ("Failed", "Never")
    restarts = [f"{rule['action']} {rule.get('name')}" for rule in result.get("failurePolicy", {}).get("rules", [])]
    assert restarts == case.get("restarts", [])
    for said_of, texts in (("warnings", suggestion.warnings), ("notes", suggestion.notes)):
        assert len(texts) == len(case.get(said_of, [])), texts
        for words, text in zip(case.get(said_of, []), texts, strict=True):
            assert words in text


def _line(rule: dict[str, Any]) -> str:
    conditions = [pattern["type"].rpartition("/")[2] for pattern in rule.get("onPodConditions", [])]
    return " ".join((rule["action"], *conditions, *map(str, rule.get("onExitCodes", {}).get("values", []))))


def test_a_policy_without_room_is_refused() -> None:
    rules = [{"action": "Count", "onExitCodes": {"operator": "In", "values": [code]}} for code in range(1, 19)]
    pod = {"restartPolicy": "Never", "containers": [{"name": "main"}]}
    document = {"kind": "Job", "spec": {"podFailurePolicy": {"rules": rules}, "template": {"spec": pod}}}

    with pytest.raises(TooManyRulesError, match="18 rules of at most 20, and lacks those for failure-agent"):
        suggest_job(document)
    rules.pop()
    assert len(changed(document, suggest_job(document).suggestion)["spec"]["podFailurePolicy"]["rules"]) == 20


def test_what_an_api_server_wrote_is_left_out() -> None:
    uid = {"batch.kubernetes.io/controller-uid": "u"}
    document = {
        "kind": "Job",
        "metadata": {"name": "train", "uid": "u", "resourceVersion": "7", "labels": {**uid, "team": "a"}},
        "spec": {
            "selector": {"matchLabels": uid},
            "template": {
                "metadata": {"labels": {**uid, "controller-uid": "u", "job-name": "train"}},
                "spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]},
            },
        },
        "status": {"failed": 3},
    }
    result = changed(document, suggest_job(document).suggestion)

    assert "status" not in result
    assert result["metadata"] == {"name": "train", "labels": {"team": "a"}}
    assert result["spec"]["template"]["metadata"] == {"labels": {"job-name": "train"}}
    assert "selector" not in result["spec"]
