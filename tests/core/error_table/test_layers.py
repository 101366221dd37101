"""The error table among the other layers of a decision: it forbids, it never allows what another forbids."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agent.core.decision.decide import decide
from agent.core.decision.explanation_text import whole
from agent.core.error_table.answer import ErrorRules, TableAnswer, TableQuery, ask_table
from agent.core.error_table.codes import ErrorCodes
from agent.core.error_table.compiled import compile_table
from agent.core.error_table.row import ErrorRule
from agent.core.history import History
from agent.core.job.decide import JobCase, JobOutcome, decide_job
from agent.core.job.pod import JobPod
from agent.core.job.words import JobSpec
from agent.core.limit import VerdictAction
from agent.core.retry.effective import InEffect
from agent.core.retry.policy import RetrySettings
from tests.core.error_table.drawn import ATTRIBUTES, ERRORS, NOW, rules, table_of
from tests.core.retry.builders import RUN, effective, failure

FAILED = failure({"containers": [{"name": "main", "exitCode": 65}]})
RULES = st.lists(rules(), max_size=6)
POLICIES = st.builds(
    lambda default, limit, rule: effective(
        {
            "name": "p",
            "defaultAction": default,
            **({} if limit is None else {"retryLimit": limit}),
            "rules": [] if rule is None else [{"action": rule, "onExitCodes": {"operator": "In", "values": [65]}}],
        }
    ),
    st.sampled_from(("Retry", "Fail")),
    st.none() | st.integers(0, 4),
    st.none() | st.sampled_from(("Retry", "Fail")),
)
SETTINGS = st.builds(
    RetrySettings,
    enabled=st.booleans(),
    global_max_retries=st.none() | st.integers(0, 5),
    max_attempted_runs=st.integers(1, 5),
)


@given(data=st.data(), found=RULES, policies=POLICIES, settings=SETTINGS, runs=st.integers(1, 6))
def test_a_retry_needs_every_layer(
    data: st.DataObject, found: list[ErrorRule], policies: InEffect, settings: RetrySettings, runs: int
) -> None:
    said = answered(data, found, runs)
    history = History(runs=runs - 1, granted={"p/default": runs - 1})
    run = replace(RUN, returned=data.draw(st.booleans()))

    alone = decide(FAILED, run=run, history=history, policies=policies, settings=settings, now=NOW)
    run = replace(run, table=said)
    with_table = decide(FAILED, run=run, history=history, policies=policies, settings=settings, now=NOW)

    allowed = all(limit.allowed for limit in said.limits)
    retries = alone.action is VerdictAction.RETRY and allowed
    assert with_table.action is (VerdictAction.RETRY if retries else VerdictAction.FAIL)
    text = "\n".join(whole(with_table.explanation))
    assert not [limit.source for limit in said.limits if limit.source not in text]
    assert with_table.explanation.decider == alone.explanation.decider
    assert with_table.past.most_runs == said.most_runs
    if with_table.action is VerdictAction.RETRY and alone.action is VerdictAction.RETRY:
        assert with_table.granted_under == alone.granted_under


@given(data=st.data(), found=RULES, backoff_limit=st.integers(0, 4), failed=st.integers(0, 5), runs=st.integers(1, 6))
def test_a_job_goes_on_only_where_kubernetes_and_the_table_allow_it(
    data: st.DataObject, found: list[ErrorRule], backoff_limit: int, failed: int, runs: int
) -> None:
    said = answered(data, found, runs)
    case = JobCase(spec=JobSpec(backoff_limit=backoff_limit), pod=JobPod(uid="u"), failure=FAILED, failed_before=failed)

    alone = decide_job(case, history=History(), settings=RetrySettings())
    with_table = decide_job(replace(case, table=said), history=History(), settings=RetrySettings())

    allowed = all(limit.allowed for limit in said.limits)
    assert (with_table.outcome is JobOutcome.RETRY) == (alone.outcome is JobOutcome.RETRY and allowed)
    assert {limit.source for limit in said.limits} <= {limit.name for limit in with_table.limits}


def answered(data: st.DataObject, found: list[ErrorRule], runs: int) -> TableAnswer:
    error_rules = ErrorRules(table=compile_table(table_of(found)), codes=ErrorCodes())
    return ask_table(
        error_rules, TableQuery(errors=data.draw(ERRORS), attributes=data.draw(ATTRIBUTES), runs=runs), now=NOW
    )
