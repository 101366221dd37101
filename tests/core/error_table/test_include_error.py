"""The IncludeError rule of PanDA's wiki: inactive, as the wiki inserts it, and then active."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from agent.core.decision.decide import decide
from agent.core.decision.explanation_text import headline, whole
from agent.core.decision.verdict import Verdict
from agent.core.error_table.answer import ErrorRules, TableAnswer, TableQuery, ask_table
from agent.core.error_table.codes import errors_of
from agent.core.error_table.compiled import compile_table
from agent.core.error_table.given import Attributes
from agent.core.error_table.row import ErrorTable
from agent.core.history import History, MostRuns
from agent.core.job.decide import JobCase, JobOutcome, decide_job
from agent.core.job.pod import JobPod
from agent.core.job.words import JobSpec
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.policy import RetrySettings
from agent.manifests.error_table.codes import load_error_codes
from agent.manifests.error_table.load import load_error_table
from agent.manifests.error_table.write import Format
from agent.shipped import shipped
from tests.core.retry.builders import NOW, RUN, effective, failure

HERE = Path(__file__).parent
CODES = load_error_codes(shipped("error-codes.yaml").read_text(encoding="utf-8"), file="error-codes.yaml")
MESSAGE = "AthenaTrf: IncludeError: include file MyJob/options.py can not be found\nleaving with code 65"
FAILED = structs.replace(
    failure({"containers": [{"name": "main", "exitCode": 65, "message": MESSAGE}]}),
    exit_code=65,
    termination_message=MESSAGE,
)
POLICIES = effective({"name": "patient", "defaultAction": "Retry"})
ON = RetrySettings(enabled=True)


def table(active: str) -> ErrorTable:
    """The statement of PanDA's wiki, with one column changed."""
    text = (HERE / "include-error.sql").read_text(encoding="utf-8").replace("'N'", f"'{active}'")
    return load_error_table(text, file="include-error.sql", form=Format.SQL)


def said(active: str, *, runs: int, before: MostRuns | None = None) -> TableAnswer:
    error_rules = ErrorRules(table=compile_table(table(active)), codes=CODES)
    asked = TableQuery(errors=errors_of(FAILED, CODES.errors), attributes=Attributes(), runs=runs, most_runs=before)
    return ask_table(error_rules, asked, now=NOW)


def course(active: str, *, settings: RetrySettings = ON, runs: int = 4) -> list[Verdict]:
    """The verdicts on run after run, each knowing those before."""
    history, told = History(), []
    for _ in range(runs):
        answer = said(active, runs=history.runs + 1, before=history.most_runs)
        run = replace(RUN, table=answer, returned=True)
        verdict = decide(FAILED, run=run, history=history, policies=POLICIES, settings=settings, now=NOW)
        history = history.followed_by(verdict.rule_key, past=verdict.past)
        told.append(verdict)
    return told


def test_inactive_it_only_says_what_it_would_have_done() -> None:
    verdicts = course("N")

    assert [verdict.action for verdict in verdicts] == [VerdictAction.RETRY] * 4
    notes = verdicts[0].explanation.notes
    assert "error rule 1 (limit_retry) would have acted to 2 runs in all, but is not active" in notes
    assert not [limit for limit in verdicts[0].explanation.limits if limit.reason is Reason.ERROR_TABLE]


def test_active_it_allows_two_runs_in_all() -> None:
    verdicts = course("Y")

    assert [verdict.action for verdict in verdicts[:2]] == [VerdictAction.RETRY, VerdictAction.FAIL]
    assert verdicts[1].reason is Reason.ERROR_TABLE
    assert headline(verdicts[1].explanation) == (
        "Fail: no rule matches, and the default action of policy patient says Retry, "
        "but error rule 1 (limit_retry) is used up (2 of 2)"
    )
    lines = whole(verdicts[0].explanation)
    assert "limit: runs made: 1 of 2 (error rule 1 (limit_retry)): allowed" in lines


def test_it_forbids_without_retry_policies_too() -> None:
    verdicts = course("Y", settings=RetrySettings(enabled=False, max_attempted_runs=9))

    assert [verdict.action for verdict in verdicts[:2]] == [VerdictAction.RETRY, VerdictAction.FAIL]
    assert "error rule 1 (limit_retry) allows 2 runs" in verdicts[1].explanation.notes[0]


def test_a_limit_once_set_stays_for_failures_it_does_not_match() -> None:
    lowered = course("Y", runs=1)[0].past.most_runs
    other = structs.replace(FAILED, exit_code=1, termination_message="something else")
    error_rules = ErrorRules(table=compile_table(table("Y")), codes=CODES)
    asked = TableQuery(errors=errors_of(other, CODES.errors), attributes=Attributes(), runs=2, most_runs=lowered)

    (limit,) = ask_table(error_rules, asked, now=NOW).limits

    assert (limit.source, limit.allowed) == ("error rule 1 (limit_retry)", False)


@pytest.mark.parametrize(
    ("active", "runs", "outcome"),
    [("N", 2, JobOutcome.RETRY), ("Y", 1, JobOutcome.RETRY), ("Y", 2, JobOutcome.FAIL_JOB)],
)
def test_a_kubernetes_job_is_held_to_it(active: str, runs: int, outcome: JobOutcome) -> None:
    case = JobCase(spec=JobSpec(backoff_limit=6), pod=JobPod(uid="u"), failure=FAILED, table=said(active, runs=runs))

    verdict = decide_job(case, history=History(), settings=RetrySettings())

    assert verdict.outcome is outcome
    assert ("error rule 1 (limit_retry)" in [limit.name for limit in verdict.limits]) == (active == "Y")
