"""What a pod of a Job that is tried again gets more of, and what the explanation says of every layer."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from agent.core.error_table.answer import ErrorRules, TableAnswer, TableQuery, ask_table
from agent.core.error_table.codes import ErrorCodes
from agent.core.error_table.compiled import compile_table
from agent.core.error_table.given import Attributes, JobError
from agent.core.error_table.row import ErrorRule, ErrorTable
from agent.core.evidence import ContainerMemory
from agent.core.history import History
from agent.core.job.decide import JobCase, JobOutcome, JobVerdict, decide_job
from agent.core.job.explanation import explain
from agent.core.job.outcome import PodEnding, failure_of
from agent.core.job.pod import JobContainer, JobPod
from agent.core.job.words import ExitCodes, JobSpec, PolicyRule
from agent.core.retry.policy import RetrySettings
from tests.core.retry.builders import NOW, effective

MI = 1 << 20
OOM = PodEnding(exit_code=137, reason="OOMKilled", category="oom")
HAD = ContainerMemory(name="main", request=900 * MI, limit=1500 * MI)
MEMORY = ErrorRule(identity=1, source="exeErrorCode", code=137, action="increase_memory")
TIME = replace(MEMORY, identity=2, action="increase_cputime")
NEVER = replace(MEMORY, identity=3, action="no_retry")
TRIED = replace(MEMORY, identity=4, action="limit_retry", parameters="maxAttempt=2", active="N")
DOUBLE = {"name": "p", "rules": [{"name": "grow", "onCategory": "oom", "memory": {"factor": 2}}]}


def answer(*rules: ErrorRule) -> TableAnswer:
    error_rules = ErrorRules(table=compile_table(ErrorTable(rules=rules)), codes=ErrorCodes())
    asked = TableQuery(errors=(JobError(source="exeErrorCode", code=137),), attributes=Attributes(), runs=1)
    return ask_table(error_rules, asked, now=NOW)


def decided(*rules: ErrorRule, spec: JobSpec | None = None, **more: Any) -> JobVerdict:
    pod = JobPod(uid="u", containers=(JobContainer(name="main", exit_code=137),))
    case = JobCase(spec=spec or JobSpec(), pod=pod, failure=failure_of(OOM), table=answer(*rules), memory=(HAD,))
    return decide_job(replace(case, **more), history=History(), settings=RetrySettings(enabled=True))


def sizes(verdict: JobVerdict) -> list[tuple[int | None, int | None]]:
    assert verdict.mutation is not None
    return [((container.request or 0) // MI, (container.limit or 0) // MI) for container in verdict.mutation.after]


def test_the_pod_that_follows_gets_the_memory_and_time_of_the_table() -> None:
    verdict = decided(MEMORY, TIME)

    assert (verdict.outcome, sizes(verdict), verdict.time_factor) == (JobOutcome.RETRY, [(1000, 2000)], 1.5)
    assert explain(verdict) == (
        "retry: default says Count",
        "not applied: the Job has no podFailurePolicy",
        "not applied: no retry policy applies to this Job",
        "limit: backoffLimit: 1 of 2147483647: allowed",
        "limit: globalMaxRetries: 0 of 20: allowed",
        "memory: container main: 900Mi, at most 1500Mi -> 1000Mi, at most 2000Mi (plus 100Mi)",
        "time: the next run may take 1.5 times as long",
        "error rule 2 (increase_cputime): the next run may take 1.5 times as long",
        "error rule 1 (increase_memory): container main: 900Mi -> 1000Mi",
    )


def test_of_a_rule_and_the_table_the_larger_memory_wins() -> None:
    verdict = decided(MEMORY, policies=effective(DOUBLE))

    assert sizes(verdict) == [(1800, 3000)]
    assert sizes(decided(policies=effective(DOUBLE))) == [(1800, 3000)]


def test_a_rule_that_cannot_grow_memory_says_so() -> None:
    verdict = decided(policies=effective(DOUBLE), memory=(structs.replace(HAD, request=None, limit=None),))

    assert verdict.mutation is None
    assert explain(verdict)[-1] == "mutate: memory is unchanged: container main is at its ceiling or sets none"


@pytest.mark.parametrize("never", [(), (NEVER,)])
def test_what_is_not_tried_again_gets_nothing_more(never: tuple[ErrorRule, ...]) -> None:
    rule = PolicyRule(action="FailJob", exit_codes=ExitCodes(container_name=None, operator="In", values=(137,)))
    spec = JobSpec() if never else JobSpec(pod_failure_policy=(rule,))
    verdict = decided(MEMORY, TIME, *never, spec=spec, policies=effective(DOUBLE))

    assert verdict.outcome is JobOutcome.FAIL_JOB
    assert (verdict.mutation, verdict.time_factor, verdict.rule_key) == (None, None, None)


def test_the_first_line_says_what_decided_and_every_limit_that_forbids() -> None:
    verdict = decided(NEVER, spec=JobSpec(backoff_limit=0))

    assert explain(verdict)[0] == (
        "fail-job: default says Count, but error rule 3 (no_retry) is used up (1 of 1) "
        "and backoffLimit is used up (1 of 0)"
    )


def test_the_explanation_says_what_an_inactive_rule_would_have_done() -> None:
    verdict = decided(TRIED)

    assert verdict.outcome is JobOutcome.RETRY
    assert "error rule 4 (limit_retry) would have acted to 2 runs in all, but is not active" in explain(verdict)
