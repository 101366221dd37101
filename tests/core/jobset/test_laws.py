"""What holds of every JobSet and every course of failures."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.core.jobset.case import ParentCase
from agent.core.jobset.child import FailedJob
from agent.core.jobset.choices import AS_UPSTREAM, Choices, RestartBudget
from agent.core.jobset.decide import ParentOutcome, decide_parent
from agent.core.jobset.gates import ALL_ON
from agent.core.jobset.lineage import Restarts
from agent.core.jobset.manifest import JobSetMemory
from agent.core.jobset.status import JobSetStatus, ReplicatedJobStatus
from agent.core.jobset.validation_policy import REASONS
from agent.core.jobset.words import ACTIONS
from agent.core.retry.limits import CAP
from tests.core.jobset.made import NOW, failed, jobset, play
from tests.core.jobset.upstream import upstream

MESSAGES = ("lost rank 3", "out of memory", "")
PATTERNS = ("rank [0-9]+", "^out", "(")

rules = st.lists(
    st.fixed_dictionaries(
        {"action": st.sampled_from(ACTIONS)},
        optional={
            "onJobFailureReasons": st.lists(st.sampled_from(REASONS), max_size=2),
            "onJobFailureMessagePatterns": st.lists(st.sampled_from(PATTERNS), max_size=2),
            "targetReplicatedJobs": st.lists(st.sampled_from(("a", "b")), max_size=2),
        },
    ),
    max_size=4,
)
policies = st.fixed_dictionaries({"maxRestarts": st.integers(0, 4), "rules": rules})
failures = st.builds(
    failed, st.sampled_from(("a", "b")), st.just(0), st.sampled_from(REASONS), st.sampled_from(MESSAGES)
)
budgets = st.lists(
    st.builds(
        RestartBudget,
        limit=st.integers(0, 3),
        action=st.none() | st.sampled_from(ACTIONS[1:]),
        replicated_job=st.none() | st.sampled_from(("a", "b")),
    ),
    max_size=2,
)


@given(policy=policies, course=st.lists(failures, max_size=12), limits=budgets, before=st.integers(0, 2))
def test_counted_restarts_never_pass_max_restarts_nor_restarts_a_budget(
    policy: dict[str, Any], course: list[FailedJob], limits: list[RestartBudget], before: int
) -> None:
    js = play(jobset(policy, choices=Choices(budgets=tuple(limits))))
    js.memory = JobSetMemory(before=Restarts(counted=before))
    for job in course:
        if js.status.finished is None:
            js.fail(job.name, reason=job.reason, message=job.message)

    counted = js.status.counted(alone=True)
    assert counted == js.memory.own.counted
    assert counted == 0 or before + counted <= policy["maxRestarts"]
    assert js.memory.own.total == js.status.restarts + sum(
        sum(replicated.job_restarts or ()) for replicated in js.status.replicated_jobs
    )
    for budget in limits:
        assert js.memory.own.charged(budget.action, budget.replicated_job) <= budget.limit


@given(
    policy=st.none() | policies,
    jobs=st.lists(failures, min_size=1, max_size=5),
    ages=st.lists(st.integers(0, 3), min_size=5, max_size=5),
    counted=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
@settings(max_examples=300)
def test_with_nothing_chosen_a_jobset_equals_jobset(
    policy: dict[str, Any] | None, jobs: list[FailedJob], ages: list[int], counted: tuple[int, int]
) -> None:
    failed_jobs = [
        replace(job, name=f"j{place}", at=NOW - timedelta(hours=ages[place])) for place, job in enumerate(jobs)
    ]
    single = ReplicatedJobStatus(name="b", job_restarts=(counted[1], 0), job_restarts_counted=(counted[1], 0))
    status = JobSetStatus(restarts=counted[0], restarts_counted=counted[0], replicated_jobs=(single,))
    told = decide_parent(ParentCase(jobset=jobset(policy, gates=ALL_ON), status=status, failed=failed_jobs))

    assert (told.outcome, told.reason, told.job.name) == upstream(policy, failed_jobs, sum(counted))


@given(policy=policies, job=failures, limits=budgets, stopped=st.booleans(), used=st.integers(0, 4))
def test_what_is_ours_only_ever_forbids(
    policy: dict[str, Any], job: FailedJob, limits: list[RestartBudget], used: int, *, stopped: bool
) -> None:
    status = JobSetStatus(restarts_counted=used)
    memory = JobSetMemory(own=Restarts(granted={("RestartJobSet", "b"): used}))
    outcomes = [
        decide_parent(
            ParentCase(
                jobset=jobset(policy, choices=choices), status=status, failed=(job,), memory=memory, stopped=stop
            )
        ).outcome
        for choices, stop in ((AS_UPSTREAM, False), (Choices(budgets=tuple(limits)), stopped))
    ]

    assert outcomes[1] in (outcomes[0], ParentOutcome.FAIL_JOB_SET)


@given(policy=policies, job=failures, cap=st.integers(0, 5))
def test_no_jobset_is_restarted_without_end_whatever_its_action(
    policy: dict[str, Any], job: FailedJob, cap: int
) -> None:
    made, status, restarts = jobset(policy, gates=ALL_ON), JobSetStatus(), Restarts()
    for used in range(cap + 1):
        told = decide_parent(
            ParentCase(jobset=made, status=status, failed=(job,), memory=JobSetMemory(own=restarts), cap=cap)
        )
        ledger = told.ledger
        if told.outcome is ParentOutcome.FAIL_JOB_SET:
            assert ledger is None
            return
        assert ledger is not None
        assert (ledger.name, ledger.used) == ("maxRestarts" if told.counts else CAP, used)
        restarts = restarts.followed_by(told.proposal.action, job.replicated_job, counts=told.counts)
        status = replace(status, restarts_counted=status.restarts_counted + told.counts)
    raise AssertionError("it is still restarted")
