"""Limits of other layers: what the error table forbids a Job, its JobSet does not make it do again."""

from dataclasses import replace

import pytest

from agent.core.error_table.answer import ErrorRules, TableAnswer, TableQuery, ask_table
from agent.core.error_table.codes import ErrorCodes
from agent.core.error_table.compiled import compile_table
from agent.core.error_table.given import Attributes, JobError
from agent.core.error_table.row import ErrorRule, ErrorTable
from agent.core.job.status import JobCondition
from agent.core.jobset.decide import explain
from agent.core.jobset.limits import of_table
from agent.core.jobset.play import JobSetPlay, JobSetTurn
from tests.core.jobset.made import NOW, jobset, play

RULE = ErrorRule(identity=17, source="exeErrorCode", code=65, action="limit_retry", parameters="maxAttempt=2")
BY_ERROR_RULE = "jobset failed due to error rule 17 (limit_retry)"


def answer(runs: int) -> TableAnswer:
    error_rules = ErrorRules(table=compile_table(ErrorTable(rules=(RULE,))), codes=ErrorCodes())
    asked = TableQuery(errors=(JobError(source="exeErrorCode", code=65),), attributes=Attributes(), runs=runs)
    return ask_table(error_rules, asked, now=NOW)


def fails(js: JobSetPlay, name: str, *, runs: int) -> None:
    js.others = {**js.others, name: of_table(answer(runs), job=name)}
    js.fail(name, reason="BackoffLimitExceeded")


def over(js: JobSetPlay) -> tuple[str, str] | None:
    said = js.status.finished
    return None if said is None else (said.reason, said.message)


@pytest.mark.parametrize("action", ["RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob"])
def test_a_restart_is_held_to_the_limit_the_error_table_sets_for_the_job(action: str) -> None:
    js = play(jobset({"maxRestarts": 9, "rules": [{"action": action}]}))
    fails(js, "js-b-0", runs=1)
    assert over(js) is None

    fails(js, "js-b-0", runs=2)
    assert over(js) == ("RestartForbidden", f"{BY_ERROR_RULE} (first failed job: js-b-0)")


def test_the_explanation_names_the_rule_and_the_job() -> None:
    js = play(jobset({"maxRestarts": 9}))
    js.others = {"js-b-0": of_table(answer(2), job="js-b-0")}
    verdicts = [turn.step.verdict for turn in js.fail("js-b-0")]
    (verdict,) = [verdict for verdict in verdicts if verdict is not None]

    assert "limit: error rule 17 (limit_retry): runs made of js-b-0: 2 of 2: forbidden" in explain(verdict)


@pytest.mark.parametrize(
    ("action", "ends"), [("RestartJobSet", True), ("RestartJob", False), ("RestartJobAndIgnoreMaxRestarts", False)]
)
def test_a_restart_of_the_whole_is_held_to_the_limits_of_every_failed_job(action: str, *, ends: bool) -> None:
    js = play(jobset({"maxRestarts": 9, "rules": [{"name": "r", "action": action, "targetReplicatedJobs": ["a"]}]}))
    js.others = {"js-b-1": of_table(answer(2), job="js-b-1")}
    verdicts = [turn.step.verdict for turn in _both_fail(js, "js-a-0", "js-b-1")]
    first = next(verdict for verdict in verdicts if verdict is not None)

    assert first.job.name == "js-a-0"
    assert (first.reason == "RestartForbidden") is ends
    assert over(js) is not None


def _both_fail(js: JobSetPlay, *names: str) -> list[JobSetTurn]:
    condition = JobCondition(type="Failed", reason="BackoffLimitExceeded", at=NOW)
    jobs = [js.children[name] for name in names]
    return js.take(*(replace(job, status=replace(job.status, conditions=(condition,))) for job in jobs))
