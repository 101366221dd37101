"""What the table means for our jobs: memory, time, what is not applicable, and where attributes come from."""

from dataclasses import replace

import pytest
from msgspec import structs

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.error_table.answer import ErrorRules, TableAnswer, TableQuery, ask_table
from agent.core.error_table.classification import classify
from agent.core.error_table.codes import CodeFrom, DiagFrom, ErrorCodes, ErrorOf, errors_of
from agent.core.error_table.compiled import compile_table
from agent.core.error_table.expression import (
    DEFAULT_EXPRESSIONS,
    ExpressionError,
    RunSurroundings,
    attributes_of,
    parse_expression,
)
from agent.core.error_table.given import Attributes, JobError
from agent.core.error_table.memory import JobMemory, TaskMemory, increase
from agent.core.error_table.memory_factor import increase_xtimes
from agent.core.error_table.outcome import RuleFault
from agent.core.error_table.reduce_input import JobInput, reduce_input
from agent.core.error_table.row import ClassificationRow, ErrorRule, ErrorTable, ReadingMode
from agent.core.evidence import ContainerMemory
from agent.core.failure import Failure, Occurrence
from agent.core.history import History
from agent.core.retry.policy import RetrySettings
from agent.manifests.error_table.codes import load_error_codes
from agent.patterns import BacktrackingSearches, Limits
from agent.shipped import shipped
from tests.core.retry.builders import NOW, RUN, effective, failure

CODES = load_error_codes(shipped("error-codes.yaml").read_text(encoding="utf-8"), file="error-codes.yaml")
MI = 1 << 20
OUT_OF_MEMORY = structs.replace(
    failure({"containers": [{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]}),
    exit_code=137,
    termination_reason="OOMKilled",
    culprit_container="main",
)
MAIN = ContainerMemory(name="main", request=2500 * MI, limit=2500 * MI)
ANYWHERE = Attributes()
ERROR = JobError(source="pilotErrorCode", code=1212, diag="")


def rule(identity: int, action: str, parameters: str | None = None) -> ErrorRule:
    return ErrorRule(identity=identity, source="pilotErrorCode", code=1212, action=action, parameters=parameters)


def test_the_reason_of_a_sidecar_that_ended_after_the_main_container_does_not_count() -> None:
    line = ErrorOf(source="exe", code=7, diag=DiagFrom.NONE, on_reasons=frozenset({"OOMKilled"}))
    killed = {"name": "proxy", "exitCode": 137, "reason": "OOMKilled"}
    main, sidecar = {"name": "main", "exitCode": 1}, {**killed, "kind": "sidecar"}

    assert errors_of(failure({"containers": [killed]}), (line,))
    assert not errors_of(failure({"containers": [main, sidecar]}), (line,))


def answer(
    *rules: ErrorRule, classification: tuple[ClassificationRow, ...] = (), attributes: Attributes = ANYWHERE
) -> TableAnswer:
    table = compile_table(ErrorTable(rules=rules, classification=classification))
    asked = TableQuery(errors=errors_of(OUT_OF_MEMORY, CODES.errors), attributes=attributes, runs=1)
    return ask_table(ErrorRules(table=table, codes=CODES), asked, now=NOW)


def decided(
    said: TableAnswer, *, growth: float | None = None, memory: tuple[ContainerMemory, ...] = (MAIN,)
) -> Verdict:
    policies = effective(
        {
            "name": "p",
            "rules": [
                {"action": "Retry", "onConditions": ["OOMKilled"], **({"memory": {"factor": growth}} if growth else {})}
            ],
        }
    )
    run = replace(RUN, table=said, memory=memory)
    settings = RetrySettings(enabled=True)
    return decide(OUT_OF_MEMORY, run=run, history=History(), policies=policies, settings=settings, now=NOW)


def after(verdict: Verdict) -> dict[str, int | None]:
    assert verdict.mutation is not None
    return {container.name: container.request for container in verdict.mutation.after}


def test_memory_goes_up_the_ladder_and_the_effect_names_its_rule() -> None:
    verdict = decided(answer(rule(5, "increase_memory")))

    assert after(verdict) == {"main": 3000 * MI}
    assert "error rule 5 (increase_memory): container main: 2500Mi -> 3000Mi" in verdict.explanation.notes


def test_memory_above_the_ladder_stays_and_unknown_memory_is_mentioned() -> None:
    high = structs.replace(MAIN, request=9000 * MI, limit=None)
    assert decided(answer(rule(5, "increase_memory")), memory=(high,)).mutation is None
    verdict = decided(answer(rule(5, "increase_memory")), memory=())
    assert any("memory is unchanged" in note for note in verdict.explanation.notes)


def test_of_table_and_rule_the_larger_memory_wins() -> None:
    xtimes = answer(rule(7, "increase_memory_xtimes"))
    assert after(decided(xtimes)) == {"main": 5000 * MI}
    assert after(decided(xtimes, growth=3.0)) == {"main": 7500 * MI}
    assert after(decided(xtimes, growth=1.5)) == {"main": 5000 * MI}


def test_time_grows_and_what_is_not_applicable_is_recorded_without_using_up_the_answer() -> None:
    said = answer(rule(1, "increase_cputime"))
    assert said.time_factor == 1.5
    assert decided(said).explanation.time_factor == 1.5

    reducing = ErrorRule(identity=2, source="pilotErrorCode", code=1212, action="reduce_input_per_job")
    limiting = ErrorRule(identity=3, source="exeErrorCode", code=137, action="no_retry")
    both = answer(reducing, limiting)
    assert "error rule 2 (reduce_input_per_job) is not applicable: our jobs have no input files to cut" in both.notes
    assert [limit.source for limit in both.limits] == ["error rule 3 (no_retry)"]


def test_the_class_of_an_error_is_recorded() -> None:
    row = ClassificationRow(identity=1_000_000, source="pilotErrorCode", code=1212, diag=".*", error_class="system")
    assert answer(classification=(row,)).notes == ("error class: system (row 1000000)",)


def test_an_inactive_class_is_reported_with_the_active_one() -> None:
    live = ClassificationRow(identity=2, source="pilotErrorCode", code=1212, diag=".*", error_class="user")
    trial = replace(live, identity=1, error_class="system", active="N")
    assert answer(classification=(trial, live)).notes == (
        "error class: would be system (row 1) if that row were active",
        "error class: user (row 2)",
    )


def test_the_pattern_of_a_class_that_runs_out_of_time_is_suspended() -> None:
    searches = BacktrackingSearches(clock=lambda: 0.0, limits=Limits(search_seconds=0.001, timeouts=1))
    row = ClassificationRow(identity=1, source="s", code=1, diag=r"(?=(a|aa)+$)\1", error_class="system")
    error = JobError(source="s", code=1, diag="a" * 60 + "b")
    assert classify([row], [error], searches=searches).faults == (RuleFault.DIAG_TIMED_OUT,)

    plain = JobError(source="s", code=1, diag="aa")
    assert classify([row], [plain], searches=searches).faults == (RuleFault.DIAG_TIMED_OUT,)


def test_an_inactive_narrower_rule_is_reported_whatever_its_number() -> None:
    live, wider = rule(2, "increase_memory"), replace(rule(1, "increase_memory"), active="N")
    trial = replace(rule(3, "increase_memory"), active="N", architecture="amd64")
    said = answer(live, trial, wider, attributes=Attributes(architecture="amd64"))
    assert said.notes == ("error rule 3 (increase_memory) would have acted, but is not active",)
    assert [more.rule for more in said.memory] == ["error rule 2 (increase_memory)"]

    assert not answer(live, trial, attributes=Attributes(architecture="arm64")).notes
    assert not answer(live, replace(rule(3, "increase_memory"), active="N")).notes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("NG=8,NG=4", "RM=NG:4|MF:10,NG=2,MF=5"),
        ("RM=NG:8|NG:6|MF:10", "RM=NG:8|NG:6|MF:10,NG=3,MF=5"),
        ("RM=NG:0|MF:4,NG=8", "RM=NG:8|MF:4,NG=4,MF=2"),
    ],
    ids=["the last of repeated rules", "the last of those within", "what was noted as 0 counts as not set"],
)
def test_split_rules_are_read_as_panda_does(before: str, after: str) -> None:
    assert reduce_input(before, JobInput(attempt=2, files=10, gigabytes=20)).split_rule == after


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"exit_code": 65}, [("exeErrorCode", 65), ("supErrorCode", 65), ("transExitCode", 65)]),
        ({"signal": 11}, [("pilotErrorCode", 1203)]),
        ({"exit_code": 143}, [("pilotErrorCode", 1201), ("exeErrorCode", 143), ("transExitCode", 143)]),
        ({"occurrence": Occurrence.LEASE_EXPIRED}, [("jobDispatcherErrorCode", 100)]),
        ({"occurrence": Occurrence.MISSING}, [("taskBufferErrorCode", 300)]),
    ],
)
def test_failures_have_the_errors_of_the_shipped_table(
    changes: dict[str, object], wanted: list[tuple[str, int]]
) -> None:
    told = errors_of(structs.replace(_of_code(changes), **changes), CODES.errors)
    assert {(error.source, error.code) for error in told} >= set(wanted) - {("supErrorCode", 65)}


def _of_code(changes: dict[str, object]) -> Failure:
    return failure({"containers": [{"name": "main", "exitCode": changes.get("exit_code", 1)}]})


def test_of_each_source_the_first_line_that_fits_counts() -> None:
    lines = (
        ErrorOf(source="x", code=1, on_exit_codes=frozenset({7})),
        ErrorOf(source="x", code=2, on_categories=frozenset({"none"})),
        ErrorOf(source="x", code=3),
        ErrorOf(source="y", code=CodeFrom.EXIT_CODE),
    )
    codes = ErrorCodes(errors=lines)
    found = errors_of(structs.replace(OUT_OF_MEMORY, exit_code=None), codes.errors)
    assert [(error.source, error.code) for error in found] == [("x", 2)]


def test_attributes_are_read_where_expressions_say() -> None:
    around = RunSurroundings(
        node_labels={"kubernetes.io/arch": "arm64"},
        pod_labels={"queue": "12"},
        pod_annotations={"failure-agent.dev/release": "25.0"},
        queue_id=10,
    )
    assert attributes_of(around, DEFAULT_EXPRESSIONS) == Attributes(architecture="arm64", release="25.0", work_queue=10)
    labelled = replace(DEFAULT_EXPRESSIONS, work_queue=parse_expression("label:queue"))
    assert attributes_of(around, labelled).work_queue == 12
    assert attributes_of(RunSurroundings(pod_labels={"queue": "ten"}), labelled) == Attributes()


@pytest.mark.parametrize("text", ["node.label:kubernetes.io/arch", "label:a", "annotation:a.b/c", "queue.id"])
def test_expressions_are_written_as_they_are_read(text: str) -> None:
    assert str(parse_expression(text)) == text


@pytest.mark.parametrize("text", ["", "label:", "queue", "node.labels:x", "label:a b"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_expression(text)


def test_what_cases_leave_open_is_decided() -> None:
    """The cases whose recommendation is words only; docs/error-table.md, What strict mode decides."""
    unknown = increase(TaskMemory(ram=None), JobMemory(ram=1800, files=(0,)), {0: 9})
    assert unknown.failure == "the memory of the task, or of one of its files, is not known"

    task, job = TaskMemory(ram=6000, split_rule="RY=4000"), JobMemory(ram=5400, files=(0,))
    assert increase_xtimes(task, job, {0: 9}, mode=ReadingMode.COMPATIBLE).files == (0,)
    assert increase_xtimes(task, job, {0: 9}, mode=ReadingMode.STRICT, submitted=2000).files == (12_000,)

    assert reduce_input(None, JobInput(attempt=2, files=4, gigabytes=6), steps="2,4").failure


def test_compatible_mode_says_where_panda_would_have_raised() -> None:
    error_rules = ErrorRules(
        table=compile_table(ErrorTable(rules=(rule(1, "no_retry"),))), codes=CODES, mode=ReadingMode.COMPATIBLE
    )
    asked = TableQuery(errors=(JobError(source="pilotErrorCode", code=None), ERROR), attributes=Attributes(), runs=1)
    said = ask_table(error_rules, asked, now=NOW)

    assert (said.limits, said.notes) == ((), ("error table: PanDA raises TypeError here and asks no further rules",))
