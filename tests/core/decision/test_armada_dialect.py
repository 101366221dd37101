"""What Armada's dialect means to the engine, which never asks which dialect it was."""

from dataclasses import replace
from typing import Any

import pytest

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.failure import Failure
from agent.core.history import History
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts
from tests.core.retry.builders import NOW, RUN, effective, failure

CRASH = failure({"containers": [{"name": "m", "exitCode": 1}]})
PREEMPTED = failure({"conditions": [{"type": "DisruptionTarget", "reason": "PreemptionByScheduler"}]})
EXPIRED = failure({"occurrence": "lease-expired"})


def course(failures: list[Failure], *, run: RunFacts = RUN, cap: int = 20, **row: Any) -> list[Verdict]:
    policies = effective({"defaultAction": "Retry", "retryLimit": 2, **row})
    history, verdicts = History(), []
    for failed in failures:
        settings = RetrySettings(enabled=True, global_max_retries=cap)
        verdicts.append(decide(failed, run=run, history=history, policies=policies, settings=settings, now=NOW))
        history = history.followed_by(verdicts[-1].granted_under, past=verdicts[-1].past)
    return verdicts


def granted(verdicts: list[Verdict]) -> int:
    return sum(verdict.action is VerdictAction.RETRY for verdict in verdicts)


@pytest.mark.parametrize(("dialect", "count"), [("v1", 2), ("v1beta1", 7)])
def test_preempted_runs_are_charged_in_the_proposals_dialect_only(dialect: str, count: int) -> None:
    assert granted(course([PREEMPTED] * 5 + [CRASH] * 3, dialect=dialect)) == count


@pytest.mark.parametrize("dialect", ["v1", "v1beta1"])
def test_the_cap_counts_every_retry_in_every_dialect(dialect: str) -> None:
    failures = [PREEMPTED] * 5 + [CRASH] * 5

    assert granted(course(failures, dialect=dialect, cap=3, retryLimit=9)) == 3


def test_one_budget_holds_for_all_rules() -> None:
    rules = [{"name": str(code), "onExitCodes": {"operator": "In", "values": [code]}} for code in (1, 2)]
    both = [failure({"containers": [{"name": "m", "exitCode": code}]}) for code in (1, 2, 1, 2)]

    assert granted(course(both, dialect="v1", rules=rules)) == 4
    assert granted(course(both, dialect="v1beta1", rules=rules)) == 2


def test_gangs_are_left_to_the_legacy_formula() -> None:
    gang = replace(RUN, gang_size=2)

    assert course([CRASH], run=gang, dialect="v1")[0].reason is Reason.DEFAULT_ACTION
    assert course([CRASH], run=gang, dialect="v1beta1")[0].reason is Reason.LEGACY


def test_runs_that_were_given_back_are_left_to_the_legacy_formula_but_not_expired_leases() -> None:
    returned = replace(RUN, returned=True)

    (verdict,) = course([CRASH], run=returned, dialect="v1beta1")
    assert (verdict.action, verdict.reason) == (VerdictAction.RETRY, Reason.LEGACY)
    assert course([EXPIRED], run=returned, dialect="v1beta1")[0].reason is Reason.DEFAULT_ACTION
    assert granted(course([EXPIRED] * 3, run=returned, dialect="v1beta1")) == 2
