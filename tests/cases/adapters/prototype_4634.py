"""Upstream's prototype 4634 compiled to our core: of a rule's matchers the first counts, and a limit of 0 is 0.

Source: armadaproject/armada#4634.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.evidence import Pod
from agent.core.failure import NO_CATEGORY, Classification, Failure, Occurrence, UserCode
from agent.core.history import History
from agent.core.limit import Counted, VerdictAction
from agent.core.retry.choices import Action
from agent.core.retry.compiled import compile_policy
from agent.core.retry.dialect import Dialect
from agent.core.retry.effective import InEffect, in_effect
from agent.core.retry.policy import RetryPolicy, RetrySettings, Rule
from agent.core.run import RunFacts
from tests.cases.adapter import Run, expect
from tests.cases.adapters.armada_failures import containers_of
from tests.cases.adapters.prototype_4804 import Refused, codes, conditions, message, with_condition
from tests.cases.case import Case

Row = Mapping[str, Any]

DIALECT = Dialect(name="prototype 4634", limit=Counted.UNDISTURBED)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = {
    "OOM_KILLED": "OOMKilled",
    "EVICTED": "Evicted",
    "PREEMPTED": "Preempted",
    "DEADLINE_EXCEEDED": "DeadlineExceeded",
    "UNSCHEDULABLE": "Unschedulable",
}
"""Conditions of ``FailureInfo`` in the words of its rules; others stand for themselves."""


def failure(info: Row) -> Failure:
    """The failure that a ``FailureInfo`` tells of."""
    code, text = info.get("exitCode", 0), info.get("terminationMessage", "")
    seen = str(info.get("condition") or "")
    ended = [{"name": "main", "exitCode": code, "message": text}] if code or text else []
    return Failure(
        occurrence=Occurrence.POD_FAILED,
        classification=with_condition(Classification(category=NO_CATEGORY), WORDS.get(seen, seen)),
        user_code=UserCode(),
        pod=Pod(phase="Failed", containers=containers_of(ended, reason="Error")),
    )


def compiled(name: str, policy: Row) -> RetryPolicy:
    rules = tuple(_rule(number, row) for number, row in enumerate(policy.get("rules") or ()))
    return RetryPolicy(name=name, rules=rules, retry_limit=policy["retryLimit"], dialect=DIALECT)


def _rule(number: int, row: Row) -> Rule:
    matcher = conditions(row) or codes(number, row) or message(number, row)
    if matcher is None:
        raise Refused(f"rule {number}: no matcher")
    return Rule(matcher=matcher, action=Action(row["action"]))


def effective(config: Row, queue: str) -> InEffect:
    """The policy of the queue; the default where it has none, or one that is not there."""
    named = config["policies"].get(queue)
    policy = compiled("default", config["default"]) if named is None else compiled(queue, named)
    return in_effect([compile_policy(policy)])


def run_case(case: Case) -> None:
    data = case.data
    info, action = data["failureInfo"], VerdictAction.FAIL
    if info is not None:
        action = _decided(data["config"], data["queuePolicy"], info, data["counts"]).action
    retries = action is VerdictAction.RETRY
    got = {"action": action.capitalize(), "shouldRequeue": retries, "incrementFailureCount": retries}
    expect(data["expect"], {name: got[name] for name in data["expect"]}, of="verdict")


def _decided(config: Row, queue: str, info: Row, counts: Row) -> Verdict:
    """Switched off, what the pod checks said stands: ours is a run that its cluster returned."""
    return decide(
        failure(info),
        run=RunFacts(lineage="job", returned=info.get("podCheckRetryable", False)),
        history=History(granted={"all": max(counts["totalRuns"] - 1, 0)}, undisturbed=counts["failuresBefore"]),
        policies=effective(config, queue),
        settings=RetrySettings(enabled=config["enabled"], global_max_retries=config["globalMaxRetries"]),
        now=NOW,
    )


def run_matcher(case: Case) -> None:
    """What rules say of one failure."""
    config = {"enabled": True, "globalMaxRetries": 20, "policies": {}}
    config["default"] = {"retryLimit": 3, "rules": case.data["rules"]}
    verdict = _decided(config, "", case.data["failureInfo"], {"failuresBefore": 0, "totalRuns": 1})
    expect(case.data["expectAction"], verdict.action.capitalize(), of="action")


def run_invalid(case: Case) -> None:
    try:
        compiled("test", {"retryLimit": 1, "rules": case.data["rules"]})
    except Refused:
        expect(case.data["expectConfigError"], True, of="refusal")
        return
    expect(case.data["expectConfigError"], False, of="refusal")


RUNS: Mapping[str, Run] = {
    "prototype_4634.cases": run_case,
    "prototype_4634.matcher": run_matcher,
    "prototype_4634.invalid": run_invalid,
}
