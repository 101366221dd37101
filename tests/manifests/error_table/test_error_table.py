"""Error tables by example, and the laws of their formats: what is written is read again as it was."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.error_table.row import (
    ACTIONS,
    ActionKind,
    ActionRow,
    ClassificationRow,
    ErrorRule,
    ErrorTable,
    ReadingMode,
)
from agent.documents.problem import ManifestError, Severity, render
from agent.manifests.error_table.codes import lint_error_codes, load_error_codes
from agent.manifests.error_table.load import lint_error_table, load_error_table
from agent.manifests.error_table.write import Format, UnnumberedActionError, write_table
from agent.manifests.lint import lint
from agent.shipped import shipped
from tests.manifests.documents import TEXTS
from tests.tables import table

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = table(HERE / "faults.yaml")
CODES = load_error_codes(shipped("error-codes.yaml").read_text(encoding="utf-8"), file="error-codes.yaml")
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)

NUMBERS = st.integers(0, 10**10 - 1)
LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co")) | st.sampled_from("\n',\"&=;-|")
WORDS = st.text(LETTERS, min_size=1, max_size=12).filter(lambda text: "\ufeff" not in text)
RULES = st.builds(
    ErrorRule,
    identity=NUMBERS,
    source=WORDS,
    code=st.integers(-(10**10) + 1, 10**10 - 1),
    action=st.sampled_from(ActionKind),
    parameters=st.none() | WORDS,
    architecture=st.none() | WORDS,
    release=st.none() | WORDS,
    work_queue=st.none() | st.integers(1, 99_999),
    description=st.none() | WORDS,
    expires_at=st.none() | st.datetimes(timezones=st.just(UTC), min_value=datetime.fromisoformat("1000-01-01")),
    active=WORDS,
    diag=st.none() | WORDS,
)
CLASSES = st.builds(
    ClassificationRow,
    identity=NUMBERS,
    source=WORDS,
    code=st.integers(-(10**10) + 1, 10**10 - 1),
    diag=WORDS,
    error_class=WORDS,
    active=WORDS,
    description=st.none() | WORDS,
)
OFF = tuple(ActionRow(identity=action.identity, name=action.name, description="d", active="N") for action in ACTIONS)


def unique(rows: st.SearchStrategy[Any], *, least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(rows, min_size=least, max_size=3, unique_by=lambda row: row.identity).map(tuple)


TABLES = st.builds(
    ErrorTable, rules=unique(RULES, least=1), actions=st.sampled_from((ACTIONS, OFF)), classification=unique(CLASSES)
)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_problems(case: dict[str, Any]) -> None:
    problems = lint_error_table(
        case["text"],
        file="f",
        form=Format(case.get("form", "yaml")),
        mode=ReadingMode(case.get("mode", "strict")),
        codes=CODES if case.get("codes") else None,
        now=NOW,
    )
    told = [f"{problem.code} {problem.line}:{problem.column} {problem.path}".rstrip() for problem in problems]
    assert told == case["problems"]
    severe = any(problem.severity is Severity.ERROR for problem in problems)
    assert not problems or severe is (case.get("severity", "error") == "error")
    shown = "\n".join(render(problem) for problem in problems)
    assert not [words for words in case.get("hints", []) if words not in shown]


@pytest.mark.slow
@given(table=TABLES, form=st.sampled_from(Format), through=st.sampled_from(Format))
def test_what_is_written_is_read_again_as_it_was(table: ErrorTable, form: Format, through: Format) -> None:
    read = load_error_table(write_table(table, form), file="f", form=form, mode=ReadingMode.COMPATIBLE)
    assert read == table
    assert load_error_table(write_table(read, through), file="f", form=through, mode=ReadingMode.COMPATIBLE) == table


@pytest.mark.slow
@given(table=TABLES, form=st.sampled_from(Format))
def test_writing_is_stable(table: ErrorTable, form: Format) -> None:
    text = write_table(table, form)
    assert write_table(load_error_table(text, file="f", form=form, mode=ReadingMode.COMPATIBLE), form) == text


@given(text=TEXTS, form=st.sampled_from(Format), mode=st.sampled_from(ReadingMode))
def test_any_text_is_read_or_refused(text: str | bytes, form: Format, mode: ReadingMode) -> None:
    problems = lint_error_table(text, file="f", form=form, mode=mode)
    assert all(render(problem).isprintable() or "\n" in render(problem) for problem in problems)
    read: Callable[[], ErrorTable] = lambda: load_error_table(text, file="f", form=form, mode=mode)  # noqa: E731 - asked twice below
    if any(problem.severity is Severity.ERROR for problem in problems):
        with pytest.raises(ManifestError):
            read()
    else:
        assert isinstance(read(), ErrorTable)


def test_rows_without_a_number_get_the_next() -> None:
    text = (
        "insert into retryerrors (retryerror_id,errorsource,errorcode,retryaction) values (7,'a',1,1);\n"
        "insert into retryerrors (retryerror_id,errorsource,errorcode,retryaction) values (S.nextval,'b',2,1);\n"
        "insert into retryerrors (errorsource,errorcode,retryaction) values ('c',3,2);\n"
    )
    table = load_error_table(text, file="f", form=Format.SQL)
    assert [(rule.identity, rule.action) for rule in table.rules] == [
        (7, "no_retry"),
        (8, "no_retry"),
        (9, "increase_memory"),
    ]


def test_the_actions_of_a_table_have_their_own_numbers_and_may_be_off() -> None:
    text = (
        "insert into retryactions (retryaction_id,retry_action,active) values (40,'no_retry','N');\n"
        "insert into retryerrors (retryerror_id,errorsource,errorcode,retryaction) values (1,'a',1,40);\n"
    )
    table = load_error_table(text, file="f", form=Format.SQL)
    assert (table.rules[0].action, table.actions[0].active) == ("no_retry", "N")
    assert load_error_table(write_table(table, Format.CSV), file="f", form=Format.CSV) == table


def test_an_action_without_a_number_cannot_be_written_as_sql() -> None:
    rule = ErrorRule(identity=1, source="a", code=1, action="system_retry")
    with pytest.raises(UnnumberedActionError, match="system_retry has no number"):
        write_table(ErrorTable(rules=(rule,)), Format.SQL)


def test_a_time_with_a_zone_is_kept_as_utc() -> None:
    expires = 'Expiration_Date: "2026-01-01T02:00:00+02:00"'
    row = f"{{RetryError_ID: 1, ErrorSource: a, ErrorCode: 1, RetryAction: no_retry, {expires}}}"
    text = f"{{apiVersion: failure-agent.dev/v1, kind: ErrorTable, rules: [{row}]}}"
    table = load_error_table(text, file="f")
    assert table.rules[0].expires_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert "Expiration_Date: '2026-01-01 00:00:00'" in write_table(table, Format.YAML)


def test_the_shipped_error_codes_have_no_findings_and_have_pandas_codes() -> None:
    text = shipped("error-codes.yaml").read_text(encoding="utf-8")
    assert lint_error_codes(text, file="error-codes.yaml") == lint(text, file="error-codes.yaml") == ()
    known = json.loads((HERE.parents[1] / "cases" / "panda-error-codes.json").read_text(encoding="utf-8"))
    for source in ("pilotErrorCode", "ddmErrorCode", "jobDispatcherErrorCode", "taskBufferErrorCode"):
        assert CODES.sources[source] == {row["code"]: row["name"] for row in known[source]}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{source: x, code: harvster}", "invalid-code"),
        ("{source: x, code: 1, onSignals: [SIGFOO]}", "unknown-signal"),
        ("{source: x, code: 1, onReason: [a]}", "unknown-field"),
        ("{source: x, code: 1}", "unknown-source"),
        ("{source: y, code: 2}", "unknown-code"),
    ],
)
def test_error_codes_are_checked(line: str, code: str) -> None:
    text = (
        f"{{apiVersion: failure-agent.dev/v1, kind: ErrorCodes, errors: [{line}], "
        "sources: [{name: y, codes: [{code: 1}]}]}"
    )
    assert [problem.code for problem in lint_error_codes(text, file="f")] == [code]
