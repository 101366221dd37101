"""What retry policies are expected to say, and on which assumptions."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier
from agent.diagnose.diagnosis import Diagnoser, Diagnosis
from agent.diagnose.foresight import Foreseen, Foresight
from agent.diagnose.subject import read_subject
from agent.manifests.retry.load import load_retry_policy
from tests.tables import table

WRITTEN = table(Path(__file__).with_name("foresight.yaml"))
CASES: list[dict[str, Any]] = WRITTEN["cases"]
CLASSIFIER = load_classifier(Path(__file__).parents[1] / "ctl" / "classify" / "rules.yaml")
NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
MEBIBYTE = 1 << 20
JOB = {"kind": "Job", "metadata": {"name": "train"}, "status": {"failed": 3}}
OUT_OF_MEMORY: dict[str, Any] = {
    "kind": "Pod",
    "metadata": {"name": "a", "namespace": "team"},
    "spec": {
        "nodeName": "node-1",
        "containers": [{"name": "main", "resources": {"limits": {"memory": "64Mi"}, "requests": {"memory": "64Mi"}}}],
    },
    "status": {
        "phase": "Failed",
        "containerStatuses": [{"name": "main", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}],
    },
}


def policies() -> Mapping[str, CompiledPolicy]:
    loaded = [load_retry_policy(text, file="policy.yaml") for text in WRITTEN["policies"]]
    return {policy.name: compile_policy(policy) for policy in loaded}


def diagnosed(case: Mapping[str, Any], foresight: Foresight | None) -> Diagnosis:
    given = case.get("pod", {})
    laid_over = {**OUT_OF_MEMORY, **given, "metadata": {**OUT_OF_MEMORY["metadata"], **given.get("metadata", {})}}
    diagnoser = Diagnoser(classifier=CLASSIFIER, redactor=Redactor(), foresight=foresight)
    return diagnoser.diagnose(read_subject(laid_over), now=NOW)


def foreseen(case: Mapping[str, Any]) -> Foreseen | None:
    queue = tuple(case["queue"]) if "queue" in case else None
    asked = Foresight(policies=policies(), queue=queue, failed_before=case.get("failedBefore"))
    return diagnosed(case, asked).foreseen


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_verdict_is_foreseen(case: dict[str, Any]) -> None:
    found, gives = foreseen(case), case["gives"]
    if gives is None:
        assert found is None
        return
    assert found is not None
    verdict = found.verdict
    grown = () if verdict.mutation is None else verdict.mutation.after
    got = {
        "action": verdict.action.value,
        "reason": verdict.reason.value,
        "policy": verdict.policy,
        "delay": verdict.delay.total_seconds(),
        "avoid": list(verdict.avoid_nodes),
        "memory": {memory.name: [_mebibytes(memory.request), _mebibytes(memory.limit)] for memory in grown},
    }
    assert {name: got[name] for name in gives if name != "note"} == {k: v for k, v in gives.items() if k != "note"}
    assert gives.get("note") in {None, *verdict.explanation.notes}
    assert {*case.get("assumed", ())} <= {*found.assumed}


def _mebibytes(count: int | None) -> int | None:
    return None if count is None else count // MEBIBYTE


def test_several_policies_are_assumed_to_be_those_of_the_queue() -> None:
    together = foreseen({})
    alone = foreseen({"queue": ["training"]})

    assert together is not None
    assert alone is not None
    assert any("all policies that were given" in assumption for assumption in together.assumed)
    assert not any("all policies that were given" in assumption for assumption in alone.assumed)


def test_a_bare_message_has_a_verdict_too() -> None:
    asked = Foresight(policies=policies())
    diagnoser = Diagnoser(classifier=CLASSIFIER, redactor=Redactor(), foresight=asked)
    found = diagnoser.diagnose(read_subject({"message": "it broke"}), now=NOW).foreseen

    assert found is not None
    assert found.verdict.reason.value == "default-action"


def test_nothing_is_foreseen_unless_somebody_asks() -> None:
    assert diagnosed({}, None).foreseen is None


def test_a_job_that_is_known_says_how_many_pods_failed_before() -> None:
    owned = {**OUT_OF_MEMORY["metadata"], "ownerReferences": [{"kind": "Job", "name": "train", "controller": True}]}
    given = {"pod": OUT_OF_MEMORY | {"metadata": owned}, "owners": [JOB]}
    asked = Foresight(policies=policies())
    diagnoser = Diagnoser(classifier=CLASSIFIER, redactor=Redactor(), foresight=asked)
    found = diagnoser.diagnose(read_subject(given), now=NOW).foreseen

    assert found is not None
    assert "2 runs of the job failed before (Job train), each like this one" in found.assumed
    assert found.verdict.action.value == "fail"


def test_of_a_pod_that_may_still_start_it_is_assumed_that_an_agent_gives_it_up() -> None:
    waits = {
        "phase": "Pending",
        "containerStatuses": [{"name": "main", "state": {"waiting": {"reason": "ErrImagePull"}}}],
    }
    found = foreseen({"pod": {"status": waits}})

    assert found is not None
    assert "an agent gives the pod up, which may still start" in found.assumed
