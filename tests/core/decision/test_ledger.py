"""Every granted retry is charged to exactly one finite ledger: no job is retried without end."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.history import History
from agent.core.job.decide import JobCase, JobOutcome, JobVerdict, decide_job
from agent.core.job.defaults import defaulted
from agent.core.job.pod import JobContainer, JobPod
from agent.core.job.reading import read_spec
from agent.core.limit import Limit, VerdictAction
from agent.core.retry.limits import CAP
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts
from tests.core.decision.test_laws import FAILURES, ROWS, policies
from tests.core.layers import jobs
from tests.core.layers.drawn import Workload, workloads
from tests.core.retry.builders import NOW, RUN, effective, failure

PREEMPTED = failure({"conditions": [{"type": "DisruptionTarget", "reason": "PreemptionByScheduler"}]})
EVERY = (*FAILURES, PREEMPTED)
SETTINGS = st.builds(RetrySettings, enabled=st.sampled_from((True, True, False)), global_max_retries=st.integers(0, 6))
NAMED = st.lists(ROWS, max_size=2)
DIALECTS = st.sampled_from(("v1", "v1beta1"))
ENDS = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=12)


def after(history: History, verdict: Verdict) -> History:
    return history.followed_by(verdict.granted_under, past=verdict.past)


def same(ledger: Limit, verdict: Verdict) -> list[Limit]:
    """The limits of a verdict that count what the ledger counts."""
    return [
        limit for limit in verdict.explanation.limits if replace(limit, used=0, allowed=True) == replace(ledger, used=0)
    ]


@given(rows=NAMED, dialect=DIALECTS, settings=SETTINGS, ends=ENDS)
def test_a_granted_retry_adds_one_to_the_one_limit_that_it_is_charged_to(
    rows: Sequence[dict[str, Any]], dialect: str, settings: RetrySettings, ends: Sequence[tuple[int, bool]]
) -> None:
    effect, history = effective(*policies(rows, dialect=dialect)), History()
    for kind, returned in ends:
        run = replace(RUN, returned=returned)
        verdict = decide(EVERY[kind], run=run, history=history, policies=effect, settings=settings, now=NOW)
        ledger = verdict.explanation.ledger
        history = after(history, verdict)
        if verdict.action is not VerdictAction.RETRY:
            assert ledger is None
            continue
        assert ledger is not None
        assert ledger.allowed
        assert len(same(ledger, verdict)) == 1
        again = decide(EVERY[kind], run=run, history=history, policies=effect, settings=settings, now=NOW)
        assert [limit.used for limit in same(ledger, again)] == [ledger.used + 1]


@given(rows=NAMED, dialect=DIALECTS, settings=SETTINGS, end=st.tuples(st.integers(0, 3), st.booleans()))
def test_no_job_is_retried_without_end(
    rows: Sequence[dict[str, Any]], dialect: str, settings: RetrySettings, end: tuple[int, bool]
) -> None:
    (kind, returned), effect, history = end, effective(*policies(rows, dialect=dialect)), History()
    for _ in range(settings.max_attempted_runs + (settings.global_max_retries or 0) + 1):
        run = replace(RUN, returned=returned)
        verdict = decide(EVERY[kind], run=run, history=history, policies=effect, settings=settings, now=NOW)
        if verdict.action is not VerdictAction.RETRY:
            return
        history = after(history, verdict)
    raise AssertionError("it is still retried")


@given(of=workloads().filter(lambda workload: workload.kind == "job"))
def test_a_retry_of_a_job_is_charged_once_an_ignored_failure_too(of: Workload) -> None:
    job = jobs.Course("job", of.job, jobs.Lineages(of.ours))
    for (blow,) in of.course:
        _, verdict, _ = job.strike(blow)
        charged = [limit for limit in verdict.limits if limit is verdict.ledger or limit == verdict.ledger]
        if verdict.outcome is not JobOutcome.RETRY:
            assert verdict.ledger is None
            return
        assert (len(charged) == 1 and charged[0].allowed) or of.ours.settings.global_max_retries is None


def ignored(history: History, *, cap: int) -> JobVerdict:
    rule = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}
    pod = JobPod(uid="u", containers=(JobContainer(name="main", exit_code=1),))
    spec = defaulted(read_spec({"podFailurePolicy": {"rules": [rule]}}))
    case = JobCase(spec=spec, pod=pod, failure=FAILURES[0])
    return decide_job(case, history=history, settings=RetrySettings(global_max_retries=cap))


def test_an_ignored_failure_is_charged_to_the_cap_and_ends_there() -> None:
    history = History()
    for used in range(2):
        verdict = ignored(history, cap=2)
        assert verdict.ledger is not None
        assert (verdict.outcome, verdict.ledger.name, verdict.ledger.count) == (JobOutcome.RETRY, CAP, used)
        history = history.followed_by(verdict.rule_key, past=verdict.past)

    assert ignored(history, cap=2).outcome is JobOutcome.FAIL_JOB


def test_retries_of_the_legacy_formula_count_under_the_cap() -> None:
    returned = RunFacts(lineage="job", returned=True)
    off, on = RetrySettings(), RetrySettings(enabled=True, global_max_retries=1)
    by_formula = decide(FAILURES[0], run=returned, history=History(), policies=effective(), settings=off, now=NOW)
    history = after(History(), by_formula)

    verdict = decide(
        FAILURES[0], run=RUN, history=history, policies=effective({"defaultAction": "Retry"}), settings=on, now=NOW
    )

    assert (history.retries, verdict.action) == (1, VerdictAction.FAIL)
