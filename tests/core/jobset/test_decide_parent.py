"""The decision on a failed Job: who speaks, what forbids, and what the explanation says of it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from agent.core.job.counters import open_job
from agent.core.job.defaults import defaulted
from agent.core.job.outcome import PodEnding, apply_outcome, begin
from agent.core.job.play import Play
from agent.core.job.reading import read_spec
from agent.core.jobset.case import ParentCase
from agent.core.jobset.child import JOB_INDEX, REPLICATED_JOB, FailedJob, failure_of
from agent.core.jobset.choices import AS_UPSTREAM, Choices, RestartBudget
from agent.core.jobset.decide import ActionError, ParentOutcome, decide_parent, explain
from agent.core.jobset.gates import ALL_OFF, ALL_ON, Gates
from agent.core.jobset.limits import ParentLimit
from agent.core.jobset.lineage import Restarts
from agent.core.jobset.manifest import JobSetMemory
from agent.core.jobset.status import JobSetStatus, ReplicatedJobStatus
from agent.core.jobset.words import FailurePolicy, Rule
from agent.core.retry.policy import BackoffPolicy
from tests.core.jobset.made import NOW, failed, jobset

AGAIN: Mapping[str, Any] = {
    "maxRestarts": 3,
    "rules": [{"name": "again", "action": "RestartJobSet", "targetReplicatedJobs": ["b"]}],
}


def case(
    policy: Mapping[str, Any] | None = AGAIN,
    *jobs: FailedJob,
    choices: Choices = AS_UPSTREAM,
    gates: Gates = ALL_ON,
    counted: int = 0,
    **more: Any,
) -> ParentCase:
    return ParentCase(
        jobset=jobset(policy, choices=choices, gates=gates),
        status=JobSetStatus(restarts=counted, restarts_counted=counted),
        failed=jobs or (failed(),),
        **more,
    )


def granted(*restarts: tuple[str, str], counted: int = 0) -> Restarts:
    made = Restarts(counted=counted)
    for action, whose in restarts:
        made = made.followed_by(action, whose, counts=False)
    return made


def test_the_explanation_names_what_decided_and_has_a_line_for_each_limit() -> None:
    rules = [{"name": "first", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]}, *AGAIN["rules"]]
    budgets = (RestartBudget(limit=5, action="RestartJob"), RestartBudget(limit=2, replicated_job="b"))
    layer = ParentLimit(name="error table rule 17", allowed=True, said="limit_retry 9")
    told = decide_parent(
        case(
            {"maxRestarts": 3, "rules": rules},
            failed(message="no such file"),
            choices=Choices(budgets=budgets),
            counted=1,
            memory=JobSetMemory(own=granted(("RestartJobSet", "b"))),
            others={"js-b-0": (layer,)},
        )
    )

    said = "applying RestartJobSet failure policy action (first failed job: js-b-0)"
    assert explain(told) == (
        f"restart-jobset: RestartJobSetFailurePolicyAction: {said}",
        "decided by: rule again of failurePolicy: RestartJobSet, about js-b-0: BackoffLimitExceeded: no such file",
        "not applied: rule first of failurePolicy did not match",
        "limit: maxRestarts: 1 of 3 restarts used: allowed",
        "limit: budget RestartJob: 0 of 5 restarts used: not checked: this restart is not charged to it",
        "limit: budget of b: 1 of 2 restarts used: allowed",
        "limit: retries.stopped: false: allowed",
        "limit: error table rule 17: limit_retry 9: allowed",
    )


@pytest.mark.parametrize(
    ("policy", "decider", "not_applied", "reason"),
    [
        (None, "default without a failurePolicy", (), "FailedJobs"),
        ({}, "default of failurePolicy", ("failurePolicy has no rules",), "ReachedMaxRestarts"),
        (
            {"maxRestarts": 1, "rules": [{"action": "FailJobSet", "targetReplicatedJobs": ["a"]}]},
            "default of failurePolicy",
            ("no rule of failurePolicy matched",),
            "RestartJobSetFailurePolicyAction",
        ),
    ],
)
def test_the_default_decides_if_no_rule_does(
    policy: dict[str, Any] | None, decider: str, not_applied: tuple[str, ...], reason: str
) -> None:
    told = decide_parent(case(policy))

    assert (told.proposal.decider, told.proposal.not_applied, told.reason) == (decider, not_applied, reason)


@pytest.mark.parametrize(
    ("more", "reason", "message"),
    [
        ({"counted": 3}, "ReachedMaxRestarts", "jobset failed due to reaching max number of restarts"),
        ({"stopped": True}, "RestartForbidden", "jobset failed due to retries.stopped"),
        (
            {"others": {"js-b-0": (ParentLimit(name="never-retry", allowed=False, said="set"),)}},
            "RestartForbidden",
            "jobset failed due to never-retry",
        ),
        (
            {
                "choices": Choices(budgets=(RestartBudget(limit=1, action="RestartJobSet", replicated_job="b"),)),
                "memory": JobSetMemory(own=granted(("RestartJobSet", "b"), ("RestartJobSet", "a"))),
            },
            "RestartBudgetExhausted",
            "jobset failed due to reaching the budget RestartJobSet of b of 1",
        ),
    ],
)
def test_each_limit_can_forbid_alone(more: dict[str, Any], reason: str, message: str) -> None:
    told = decide_parent(case(**more))

    assert told.outcome is ParentOutcome.FAIL_JOB_SET
    assert (told.reason, told.message) == (reason, f"{message} (first failed job: js-b-0)")
    assert sum(not limit.allowed for limit in told.limits) == 1


@pytest.mark.parametrize(
    ("budget", "allowed"),
    [
        (RestartBudget(limit=2, action="RestartJobSet"), False),
        (RestartBudget(limit=3, action="RestartJobSet"), True),
        (RestartBudget(limit=2, replicated_job="b"), False),
        (RestartBudget(limit=1, replicated_job="a"), True),
        (RestartBudget(limit=0, action="RestartJob"), True),
        (RestartBudget(limit=1, action="RestartJobSet", replicated_job="b"), False),
        (RestartBudget(limit=2, action="RestartJobSet", replicated_job="b"), True),
    ],
)
def test_a_budget_counts_its_action_and_its_replicated_job(budget: RestartBudget, *, allowed: bool) -> None:
    before = granted(("RestartJobSet", "a"), ("RestartJobSet", "b"), ("RestartJob", "b"))
    told = decide_parent(case(choices=Choices(budgets=(budget,)), memory=JobSetMemory(before=before)))

    assert (told.outcome is ParentOutcome.RESTART_JOB_SET) is allowed


def test_restarts_of_one_job_and_of_all_share_the_limit_where_the_gate_is_on() -> None:
    status = JobSetStatus(restarts_counted=2)
    alone = ReplicatedJobStatus(name="b", job_restarts=(1, 0), job_restarts_counted=(1, 0))
    for gates, outcome in ((ALL_ON, ParentOutcome.FAIL_JOB_SET), (ALL_OFF, ParentOutcome.RESTART_JOB_SET)):
        parent = ParentCase(
            jobset=jobset(AGAIN, gates=gates), status=status.with_replicated([alone]), failed=(failed(),)
        )
        assert decide_parent(parent).outcome is outcome


def test_a_delay_grows_with_each_restart_of_the_lineage() -> None:
    delay = BackoffPolicy(initial=timedelta(seconds=10), multiplier=2.0, maximum=timedelta(seconds=30), jitter=0.5)
    waits = []
    for number in range(4):
        memory = JobSetMemory(own=granted(*[("RestartJobSet", "b")] * number))
        told = decide_parent(case(choices=Choices(delay=delay), memory=memory))
        waits.append(told.delay.total_seconds())
    late = decide_parent(case(choices=Choices(delay=delay)), draw=1.0)

    assert waits == [10, 20, 30, 30]
    assert late.delay == timedelta(seconds=5)
    assert explain(late)[0].startswith("restart-jobset, after 5 s: ")


def test_what_ends_a_jobset_waits_for_nothing() -> None:
    told = decide_parent(case(choices=Choices(delay=BackoffPolicy(initial=timedelta(hours=1))), counted=3))

    assert (told.outcome, told.delay) == (ParentOutcome.FAIL_JOB_SET, timedelta(0))


def test_an_action_that_is_not_known_or_not_switched_on_is_an_error() -> None:
    unknown = jobset()
    rules = (Rule(name="r", action="RestartReplicatedJob"),)
    spec = replace(unknown.spec, failure_policy=FailurePolicy(max_restarts=1, rules=rules))
    with pytest.raises(ActionError, match="FailurePolicyRuleAction RestartReplicatedJob"):
        decide_parent(ParentCase(jobset=replace(unknown, spec=spec), status=JobSetStatus(), failed=(failed(),)))
    with pytest.raises(ActionError, match="RestartJob failure policy action cannot be used when the feature gate"):
        decide_parent(case({"maxRestarts": 1, "rules": [{"action": "RecreateJob"}]}, gates=ALL_OFF))
    with pytest.raises(ValueError, match="no Job has failed"):
        decide_parent(replace(case(), failed=()))


TEMPLATE = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}}

JOBS: Mapping[str, tuple[dict[str, Any], list[PodEnding]]] = {
    "PodFailurePolicy": (
        {"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]}},
        [PodEnding(exit_code=42)],
    ),
    "BackoffLimitExceeded": ({"backoffLimit": 1}, [PodEnding(exit_code=1)] * 2),
    "DeadlineExceeded": ({"activeDeadlineSeconds": 60}, [PodEnding(index=9, after=timedelta(minutes=2))]),
    "FailedIndexes": (
        {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "backoffLimitPerIndex": 0},
        [PodEnding(index=0, exit_code=1), PodEnding(index=1)],
    ),
    "MaxFailedIndexesExceeded": (
        {
            "completionMode": "Indexed",
            "completions": 3,
            "parallelism": 3,
            "backoffLimitPerIndex": 0,
            "maxFailedIndexes": 0,
        },
        [PodEnding(index=1, exit_code=1)],
    ),
}


@pytest.mark.parametrize("reason", JOBS)
def test_what_a_jobs_own_step_ends_with_is_judged_by_its_jobset(reason: str) -> None:
    spec, outcomes = JOBS[reason]
    job = Play(counters=open_job(defaulted(read_spec({**spec, **TEMPLATE}))), name="js-b-0", now=NOW)
    begin(job)
    assert failure_of("js-b-0", {}, job.counters.report()) is None
    for outcome in outcomes:
        apply_outcome(job, outcome)
    failure = failure_of("js-b-0", {REPLICATED_JOB: "b", JOB_INDEX: "0"}, job.counters.report())

    assert failure is not None
    assert failure.reason == reason
    rules = [
        {
            "name": wanted,
            "action": "FailJobSet" if wanted == reason else "RestartJobSet",
            "onJobFailureReasons": [wanted],
        }
        for wanted in JOBS
    ]
    told = decide_parent(case({"maxRestarts": 1, "rules": rules}, failure))
    assert (told.outcome, told.proposal.rule) == (ParentOutcome.FAIL_JOB_SET, reason)
