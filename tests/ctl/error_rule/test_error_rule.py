"""``failctl error-rule``: lint, decide, import and export on files."""

import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.console.exits import Exit, UsageError
from agent.console.options import Form
from agent.ctl.error_rule import decide, files
from agent.ctl.lint import LintRequest
from agent.ctl.lint import run as lint
from agent.ctl.main import app
from agent.manifests.error_table.codes import load_error_codes
from agent.manifests.error_table.load import load_error_table
from agent.manifests.error_table.write import Format

SEED = Path(__file__).parents[2] / "core/error_table/include-error.sql"
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
FAILURES = """\
maxAttempt: 5
failures:
- failure: {containers: [{name: main, exitCode: 65, message: "x IncludeError: include file a can not be found"}]}
  times: 3
"""


@pytest.fixture
def active(tmp_path: Path) -> Path:
    file = tmp_path / "rules.sql"
    file.write_text(SEED.read_text(encoding="utf-8").replace("'N'", "'Y'"), encoding="utf-8")
    return file


def decided(
    table: Path, tmp_path: Path, *, failures: str = FAILURES, output: Form = "table", mode: str = "strict"
) -> str:
    course, out = tmp_path / "failures.yaml", io.StringIO()
    course.write_text(failures, encoding="utf-8")
    request = decide.ErrorRuleRequest(table=table, failures=course, output=output, mode=mode)
    assert decide.run(request, now=NOW, out=out) is Exit.FINE
    return out.getvalue()


def test_an_inactive_rule_says_what_it_would_have_done(tmp_path: Path) -> None:
    lines = decided(SEED, tmp_path).splitlines()

    assert lines[-3:] == [
        "run 3: exeErrorCode 65, supErrorCode 65, transExitCode 65: another run follows",
        "  runs made: 3 of 5 (maxAttempt of the job): allowed",
        "  error rule 1 (limit_retry) would have acted to 2 runs in all, but is not active",
    ]


def test_an_active_rule_stops_the_job(active: Path, tmp_path: Path) -> None:
    lines = decided(active, tmp_path).splitlines()

    assert lines[-3:] == [
        "run 2: exeErrorCode 65, supErrorCode 65, transExitCode 65: no run follows",
        "  runs made: 2 of 5 (maxAttempt of the job): allowed",
        "  runs made: 2 of 2 (error rule 1 (limit_retry)): forbidden",
    ]


def test_programs_get_the_decision_as_json(active: Path, tmp_path: Path) -> None:
    told = json.loads(decided(active, tmp_path, output="json"))

    assert [answer["retries"] for answer in told] == [True, False]
    assert told[1]["limits"][1] == {
        "source": "error rule 1 (limit_retry)",
        "used": 2,
        "limit": 2,
        "allowed": False,
    }


def test_errors_may_be_given_as_they_are_and_modes_differ(tmp_path: Path) -> None:
    table = tmp_path / "rules.yaml"
    table.write_text(
        "apiVersion: failure-agent.dev/v1\nkind: ErrorTable\nrules:\n"
        "- {RetryError_ID: 1, ErrorSource: a, ErrorCode: 1, RetryAction: limit_retry, Parameters: maxAttempt=9}\n"
        "- {RetryError_ID: 2, ErrorSource: a, ErrorCode: 1, RetryAction: limit_retry, Parameters: maxAttempt=10}\n"
    )
    failures = "failures: [{errors: [{source: a, code: 1}]}]"

    assert "1 of 9 (error rule 1" in decided(table, tmp_path, failures=failures)
    assert "1 of 10 (error rule 1" in decided(table, tmp_path, failures=failures, mode="compatible")


def test_lint_places_faults_and_knows_the_codes_that_ship(tmp_path: Path) -> None:
    table, out = tmp_path / "rules.yaml", io.StringIO()
    row = "{RetryError_ID: 1, ErrorSource: pilotErrorCode, ErrorCode: 1, RetryAction: no_retry}"
    table.write_text(f"apiVersion: failure-agent.dev/v1\nkind: ErrorTable\nrules:\n- {row}\n")

    code = lint(LintRequest(files=(table, SEED)), environ={}, now=NOW, out=out)

    assert code is Exit.FINE
    assert out.getvalue().startswith(
        f"{table}:4:62: warning: rules[0].ErrorCode: nobody emits pilotErrorCode 1: the rule is never evaluated"
    )
    assert out.getvalue().endswith("2 files: no problems, 1 warning\n")


@pytest.mark.parametrize("to", list(Format))
def test_an_exported_table_is_the_same_table(to: Format) -> None:
    out, err = io.StringIO(), io.StringIO()

    assert files.convert(files.ConvertRequest(file=SEED, to=to), out=out, err=err) is Exit.FINE

    seed = load_error_table(SEED.read_text(encoding="utf-8"), file="s", form=Format.SQL)
    assert load_error_table(out.getvalue(), file="x", form=to) == seed


def test_every_fault_of_a_file_is_reported(tmp_path: Path) -> None:
    bad, err = tmp_path / "bad.csv", io.StringIO()
    bad.write_text("RetryError_ID,ErrorSource,ErrorKode\n1,a,2\n")

    with pytest.raises(UsageError, match=r"bad.csv:1:27: RETRYERRORS has no column `ErrorKode`"):
        files.convert(files.ConvertRequest(file=bad, to="sql"), out=err, err=err)
    with pytest.raises(UsageError, match="xml: unknown format; use one of yaml, json, csv, sql"):
        files.convert(files.ConvertRequest(file=SEED, to="xml"), out=err, err=err)
    course = tmp_path / "c.yaml"
    course.write_text("failures: [{times: 2}]")
    with pytest.raises(UsageError, match="a failure must have either `errors` or `failure`"):
        decide.run(decide.ErrorRuleRequest(table=SEED, failures=course), now=NOW, out=err)


@pytest.mark.parametrize("command", ["lint", "decide", "import", "export"])
def test_the_command_line_has_the_group(command: str) -> None:
    done = CliRunner().invoke(app, ["error-rule", command, "--help"])
    assert done.exit_code == 0
    assert "--mode" in done.output


def test_import_prints_the_document(active: Path) -> None:
    done = CliRunner().invoke(app, ["error-rule", "import", "-f", str(active)])
    assert done.exit_code == 0
    assert "RetryAction: limit_retry" in done.output


def test_the_examples_of_the_page_hold(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/error-table.md").read_text(encoding="utf-8")
    table, failures, errors = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "rules.yaml").write_text(table.replace("Active: N", "Active: Y"), encoding="utf-8")

    lines = decided(tmp_path / "rules.yaml", tmp_path, failures=failures).splitlines()

    assert "  runs made: 2 of 2 (error rule 1 (limit_retry)): forbidden" in lines
    assert "    limit: runs made: 2 of 2 (error rule 1 (limit_retry)): forbidden" in page.splitlines()
    head = "apiVersion: failure-agent.dev/v1\nkind: ErrorCodes\n"
    assert load_error_codes(head + errors, file="page").errors[0].code == 1212
