import io
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from agent.console.exits import Exit, UsageError
from agent.ctl.lint import LintRequest, run
from agent.ctl.main import app
from agent.documents.compose import read
from agent.manifests.retry.load import check_retry_policy
from agent.rule_files import count_rules, read_rules
from agent.shipped import RULES as RULE_FILE
from agent.shipped import shipped
from tests.ground.tree import ROOT

NOW = datetime(2026, 11, 22, tzinfo=UTC)
RULES = """\
errorCategories:
  - name: killed
    rules:
      - onPodEvents: {type: Normal, regexp: "Stopping"}
"""
SETTINGS = """\
cluster: east
categories: {rules}
broker: {{url: "sqlite:///log"}}
spool: {{path: spool.db}}
watch: {{normalEvents: {normal}}}
"""


def linted(request: LintRequest) -> tuple[Exit, str]:
    out = io.StringIO()
    return run(request, environ={}, now=NOW, out=out), out.getvalue()


def files(folder: Path, *, normal: str) -> tuple[Path, Path]:
    rules, settings = folder / "rules.yaml", folder / "settings.yaml"
    rules.write_text(RULES, encoding="utf-8")
    settings.write_text(SETTINGS.format(rules=rules, normal=normal), encoding="utf-8")
    return rules, settings


JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  podFailurePolicy:
    rules:
    - {action: FailJob, onPodConditions: [{type: failure-agent.dev/Category-killed}]}
  template: {spec: {restartPolicy: Never, containers: [{name: main}]}}
"""


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("", "no rule file gives the category `killed` a condition"),
        ("    condition: true\n", ""),
        ("    condition: maybe\n", "wrong-type"),
    ],
)
def test_a_job_acts_on_the_conditions_of_the_rule_files_that_are_given(
    asked: str, expected: str, tmp_path: Path
) -> None:
    rules, job = tmp_path / "rules.yaml", tmp_path / "job.yaml"
    rules.write_text(RULES.replace("    rules:\n", f"{asked}    rules:\n"), encoding="utf-8")
    job.write_text(JOB, encoding="utf-8")

    code, said = linted(LintRequest(files=[job], rules=[rules]))

    assert (code is Exit.FINDING) == bool(expected)
    assert expected in said
    assert linted(LintRequest(files=[job]))[0] is Exit.FINE


def test_the_settings_name_the_rules_and_the_evidence_they_may_use(tmp_path: Path) -> None:
    rules, settings = files(tmp_path, normal="false")

    code, said = linted(LintRequest(files=(), settings=settings))

    assert code is Exit.FINDING
    assert f"{rules}:4:29: errorCategories[0].rules[0].onPodEvents.type: Normal events are not watched" in said
    assert linted(LintRequest(files=[rules], settings=settings)) == (code, said)


def test_a_rule_on_events_that_are_watched_is_only_a_warning(tmp_path: Path) -> None:
    _, settings = files(tmp_path, normal="true")

    assert "warning" in linted(LintRequest(files=(), settings=settings))[1]


def test_lint_without_a_file_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="nothing to lint"):
        linted(LintRequest(files=()))


def test_settings_with_faults_are_linted_and_hide_nothing(tmp_path: Path) -> None:
    rules, settings = files(tmp_path, normal="false")
    settings.write_text("cluster: EAST\nspol: 1\n", encoding="utf-8")
    rules.write_text(RULES.replace("Stopping", "Stopp(ing"), encoding="utf-8")

    code, said = linted(LintRequest(files=[rules], settings=settings))

    assert code is Exit.FINDING
    assert f"{settings}:1:10: cluster: " in said
    assert f"{settings}:2:1: spol: no such setting" in said
    assert f"{rules}:4:46: errorCategories[0].rules[0].onPodEvents.regexp: missing ): Stopp(ing" in said


def test_the_schedulers_settings_name_policies_and_gates(tmp_path: Path) -> None:
    settings, policy, jobset = tmp_path / "settings.yaml", tmp_path / "policy.yaml", tmp_path / "jobset.yaml"
    settings.write_text(
        f"broker: {{url: 'sqlite:///log'}}\nstore: {{url: 'sqlite:///s'}}\npolicies: [{policy}]\n"
        "jobSets: {featureGates: {RestartJob: true}}\n",
        encoding="utf-8",
    )
    policy.write_text(POLICY.format(name="Upper"), encoding="utf-8")
    jobset.write_text(JOB_SET, encoding="utf-8")

    assert (
        "policy.yaml:3:18: metadata.name: `Upper` is not a valid name"
        in linted(LintRequest(files=(), settings=settings))[1]
    )
    assert linted(LintRequest(files=[jobset], settings=settings))[0] is Exit.FINE
    assert "gate-off" in linted(LintRequest(files=[jobset]))[1]


SCRIPT = "{name: a, kind: b, source: c, steps: []"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cluster: EAST\nspool: {path: s}\n", "x:1:10: cluster: "),
        (
            "store: {url: 'sqlite:///s'}\nscheduling: {retryPolicy: {enabled: 1}}\n",
            "x:2:37: scheduling.retryPolicy.enabled: ",
        ),
        ("stor: {url: a}\npolicies: []\n", "x:1:1: stor: no such setting [invalid-setting]\n"),
        ("stor: {url: a}\npolicies: []\n", "= help: did you mean `store`?\n"),
        ("name: s\nfailures: [{times: 0}]\n", "x:2:20: failures[0].times: "),
        ("failures: [{errors: []}]\n", "x:1:21: failures[0].errors: "),
        ("outcomes: [{exitCode: x, replicatedJob: a}]\n", "x:1:23: outcomes[0].exitCode: "),
        (
            "kind: Deployment\n",
            "x:1:7: kind: unknown kind `Deployment`; known kinds: error categories, RetryPolicy, Queue",
        ),
        ("a: 1\n", "x:1:1: this document has no known kind; known kinds: error categories, "),
        ("failure: []\n", "help: did you mean `failures`?"),
        ("", "x:1:1: the document is empty"),
    ],
)
def test_every_kind_of_file_is_linted(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x").write_text(text, encoding="utf-8")

    code, told = linted(LintRequest(files=[tmp_path / "x"]))

    assert (code, said in told.replace(f"{tmp_path}/", "")) == (Exit.FINDING, True), told


def test_every_file_that_ships_is_of_a_kind_and_without_a_problem() -> None:
    folders = [ROOT / "config", ROOT / "config/demo", ROOT / "config/simulator"]

    code, said = linted(LintRequest(files=folders))

    assert (code, said.splitlines()[-1]) == (Exit.FINE, "10 files: no problems")


def test_settings_are_shown_without_their_lines_which_may_hold_secrets(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("store: {url: 'postgresql+psycopg://me:hunter2@host/d'}\n", encoding="utf-8")

    told = linted(LintRequest(files=[tmp_path / "x"]))[1]

    assert "must not contain a password" in told
    assert "hunter2" not in told


def test_what_a_variable_gives_is_not_missing_from_the_file(tmp_path: Path) -> None:
    _, settings = files(tmp_path, normal="true")
    whole = settings.read_text(encoding="utf-8")
    settings.write_text(whole.replace("cluster: east\n", ""), encoding="utf-8")
    out = io.StringIO()

    assert "settings.yaml:1:1: cluster: required" in linted(LintRequest(files=[settings]))[1]
    assert run(LintRequest(files=[settings]), environ={"FAILURE_AGENT_CLUSTER": "east"}, now=NOW, out=out) is Exit.FINE


def test_rows_of_an_error_table_are_linted_by_the_ending_of_the_file(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("RetryError_ID,ErrorSource,ErrorKode\n1,a,2\n", encoding="utf-8")

    assert "rows.csv:1:27: RETRYERRORS has no column `ErrorKode`" in linted(LintRequest(files=[rows]))[1]


def test_warnings_are_counted_separately_and_are_no_finding_unless_strict(tmp_path: Path) -> None:
    warned, wrong = tmp_path / "warned.yaml", tmp_path / "wrong.yaml"
    warned.write_text("errorCategories: [{name: a, rules: [{onConditions: [Evicted, Evicted]}]}]\n", encoding="utf-8")
    wrong.write_text("errorCategories: [{name: a, rules: [{onConditions: [Evictd, Evictd]}]}]\n", encoding="utf-8")

    code, said = linted(LintRequest(files=[warned]))
    assert (code, said.splitlines()[-1]) == (Exit.FINE, "1 file: no problems, 1 warning")
    code, said = linted(LintRequest(files=[warned], strict=True))
    assert (code, said.splitlines()[-1]) == (Exit.FINDING, "1 file: no problems, 1 warning")
    code, said = linted(LintRequest(files=[warned, wrong]))
    assert (code, said.splitlines()[-1]) == (Exit.FINDING, "2 files: 2 problems, 1 warning")
    told = json.loads(linted(LintRequest(files=[warned, wrong], output="json"))[1])
    assert [problem["severity"] for problem in told] == ["warning", "error", "error"]


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    rules, _ = files(tmp_path, normal="false")
    rules.write_text(RULES.replace("Stopping", "Stopp(ing"), encoding="utf-8")
    out = io.StringIO()

    with pytest.raises(UsageError, match=r"gone\.yaml"):
        run(LintRequest(files=[tmp_path / "gone.yaml", rules]), environ={}, now=NOW, out=out)

    assert f"{rules}:4:46" in out.getvalue()


def test_rule_files_and_policies_with_errors_are_compared_anyway(tmp_path: Path) -> None:
    rules, policy = tmp_path / "rules.yaml", tmp_path / "policy.yaml"
    rules.write_text(
        "errorCategories:\n- {name: killed, rules: [{onConditions: [OOMKiled]}]}\n"
        "- {name: gone, rules: [{onConditions: [Evicted]}]}\n",
        encoding="utf-8",
    )
    policy.write_text(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  rules:\n"
        "  - {action: Rety, onCategory: killed}\n  - {action: Retry, onCategory: killed}\n"
        "  - {action: Retry, onCategory: kiled}\n",
        encoding="utf-8",
    )

    code, said = linted(LintRequest(files=[policy], rules=[rules]))

    assert code is Exit.FINDING
    assert f"{rules}:2:42: errorCategories[0].rules[0].onConditions[0]: " in said
    assert f"{policy}:6:14: spec.rules[0].action: " in said
    assert f"{policy}:8:33: warning: spec.rules[2].onCategory: no rule file has a category `kiled`" in said
    assert said.splitlines()[-1] == "2 files: 2 problems, 1 warning"


@pytest.mark.parametrize(
    ("category", "said"),
    [
        ("evicton", "no rule that ships has a category `evicton`"),
        ("eviction", ""),
        ("billing", ""),
    ],
)
def test_a_category_that_is_almost_one_of_a_rule_that_ships_is_a_warning(
    tmp_path: Path, category: str, said: str
) -> None:
    """Other names may be of rules that are elsewhere."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  rules:\n"
        f"  - {{action: Retry, onCategory: {category}}}\n",
        encoding="utf-8",
    )

    code, printed = linted(LintRequest(files=[policy]))

    assert code is Exit.FINE
    assert (f"{policy}:6:33: warning: spec.rules[0].onCategory: {said}" in printed) == bool(said)
    assert ("did you mean `eviction`? If rules of your own have it, name them by --rules FILE" in printed) == bool(said)


def test_a_folder_is_linted_file_by_file_each_once(tmp_path: Path) -> None:
    first, second = tmp_path / "one.yaml", tmp_path / "two.yaml"
    first.write_text(POLICY.format(name="a"), encoding="utf-8")
    second.write_text("kind: Deploymint\n---\ncluster: EAST\n", encoding="utf-8")

    code, said = linted(LintRequest(files=[tmp_path, first]))

    assert (code, said.splitlines()[-1].split(":")[0]) == (Exit.FINDING, "2 files")
    assert f"{second}:1:7: kind: unknown kind `Deploymint`" in said
    assert f"{second}:3:10: cluster: " in said


def test_a_folder_that_cannot_be_read_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("kind: Deploymint\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["lint", str(tmp_path / "empty"), str(wrong)])

    assert done.exit_code == Exit.USAGE
    assert "unknown kind `Deploymint`" in done.output
    assert "no file in this folder ends in" in done.output


@pytest.mark.parametrize(("strict", "code"), [((), 0), (("--strict",), 1)])
def test_strict_is_an_option(tmp_path: Path, strict: tuple[str, ...], code: int) -> None:
    warned = tmp_path / "warned.yaml"
    warned.write_text("errorCategories: [{name: a, rules: [{onConditions: [Evicted, Evicted]}]}]\n", encoding="utf-8")

    assert CliRunner().invoke(app, ["lint", str(warned), *strict]).exit_code == code
    table = CliRunner().invoke(app, ["error-rule", "lint", str(warned), *strict])
    assert (table.exit_code, table.output.splitlines()[-1]) == (code, "1 file: no problems, 1 warning")


def test_a_policy_given_twice_is_a_problem(tmp_path: Path) -> None:
    first, second = tmp_path / "one.yaml", tmp_path / "two.yaml"
    first.write_text(POLICY.format(name="a"), encoding="utf-8")
    second.write_text(POLICY.format(name="b") + "---\n" + POLICY.format(name="a"), encoding="utf-8")

    code, said = linted(LintRequest(files=[first, second, first]))

    assert code is Exit.FINDING
    assert f"{second}:8:18: metadata.name: a policy `a` is given already in {first} [duplicate-policy]" in said
    assert said.splitlines()[-1] == "2 files: 1 problem"


JOB_SET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: s}
spec:
  failurePolicy: {maxRestarts: 1, rules: [{name: again, action: RestartJob}]}
  replicatedJobs:
  - name: a
    template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}}
"""
POLICY = """\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {{name: {name}}}
spec: {{defaultAction: Fail, retryLimit: 3, rules: [{{name: again, onCategory: killed, action: Retry}}]}}
"""


@contextmanager
def calls() -> Iterator[Counter[CodeType]]:
    """Count the calls of every function inside the block, by its code object."""
    counted: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:  # noqa: ANN401 - as sys.setprofile has it
        if event == "call":
            counted[frame.f_code] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield counted
    finally:
        sys.setprofile(before)


def test_each_text_is_composed_once_and_each_policy_checked_once(tmp_path: Path) -> None:
    rules, first, second = (tmp_path / name for name in ("rules.yaml", "one.yaml", "two.yaml"))
    rules.write_text(RULES, encoding="utf-8")
    first.write_text(POLICY.format(name="a") + "---\n" + POLICY.format(name="b"), encoding="utf-8")
    second.write_text(POLICY.format(name="c"), encoding="utf-8")

    with calls() as counted:
        code, said = linted(LintRequest(files=[first, second, rules], rules=[rules]))

    assert (code, said.splitlines()[-1]) == (Exit.FINE, "3 files: no problems, 1 warning")
    assert counted[read.__code__] == 4, "the three texts, and the error codes that ship"
    assert counted[check_retry_policy.__code__] == 3


PORT = "environment FAILURE_AGENT_HEALTH__PORT: health.port: expected a whole number, found text [invalid-setting]"
NAME = """\
environment FAILURE_AGENT_SPOL__PATH: no such setting [invalid-setting]
    = help: did you mean FAILURE_AGENT_SPOOL__PATH?
"""
WRONG = {
    "FAILURE_AGENT_HEALTH__PORT": "many",
    "FAILURE_AGENT_SPOL__PATH": "s",
    "FAILURE_AGENT_STORE__URL": "sqlite:///s",
}


@pytest.mark.parametrize("named", [True, False], ids=["by --settings", "as a file"])
def test_a_variable_with_a_fault_is_a_problem_of_its_own(tmp_path: Path, *, named: bool) -> None:
    _, settings = files(tmp_path, normal="true")
    request = LintRequest(files=(), settings=settings) if named else LintRequest(files=[settings])
    out = io.StringIO()

    code = run(request, environ=WRONG, now=NOW, out=out)

    assert code is Exit.FINDING
    assert out.getvalue() == f"{PORT}\n{NAME}1 file: 2 problems\n"


def test_a_variable_that_is_wrong_for_two_files_is_one_problem(tmp_path: Path) -> None:
    _, settings = files(tmp_path, normal="true")
    scheduler = tmp_path / "scheduler.yaml"
    scheduler.write_text("broker: {url: 'sqlite:///log'}\nstore: {url: 'sqlite:///s'}\n", encoding="utf-8")
    out = io.StringIO()

    run(LintRequest(files=[settings, scheduler], output="json"), environ=WRONG, now=NOW, out=out)

    said = [(problem["file"], problem["line"], problem["path"]) for problem in json.loads(out.getvalue())]
    assert said == [
        ("environment FAILURE_AGENT_HEALTH__PORT", 0, "health.port"),
        ("environment FAILURE_AGENT_SPOL__PATH", 0, ""),
    ]


def test_faults_of_file_and_variables_are_reported_together(tmp_path: Path) -> None:
    _, settings = files(tmp_path, normal="true")
    settings.write_text(settings.read_text(encoding="utf-8") + "spol: 1\nhealth: {host: 5}\n", encoding="utf-8")
    out = io.StringIO()

    run(LintRequest(files=[settings]), environ=WRONG, now=NOW, out=out)

    assert [line for line in out.getvalue().splitlines() if "help" not in line] == [
        PORT,
        NAME.splitlines()[0],
        f"{settings}:6:1: spol: no such setting [invalid-setting]",
        f"{settings}:7:16: health.host: expected text, found the number 5 [invalid-setting]",
        "1 file: 4 problems",
    ]


def test_every_file_that_is_read_counts(tmp_path: Path) -> None:
    rules, settings = files(tmp_path, normal="true")

    assert linted(LintRequest(files=(), settings=settings))[1].endswith("2 files: no problems, 2 warnings\n")
    settings.write_text("cluster: EAST\n", encoding="utf-8")
    assert linted(LintRequest(files=(), settings=settings))[1].endswith("1 file: 3 problems\n")
    assert "2 files: " in linted(LintRequest(files=[settings], rules=[rules]))[1]


SHIPPED: Final = count_rules(read_rules(shipped(RULE_FILE))).all
PACKED: Final = """\
order: evidence
{packs}
errorCategories:
  - {{name: memory, rules: [{{onConditions: [OOMKilled]}}]}}
"""


@pytest.mark.parametrize(
    ("packs", "counted"),
    [
        ("", f"1 rule, and none of the {SHIPPED} that ship; `packs: [shipped]` adds those"),
        ("packs: []", f"1 rule, and none of the {SHIPPED} that ship; `packs: [shipped]` adds those"),
        ("packs: [shipped]", f"{SHIPPED + 1} rules, {SHIPPED} of them shipped"),
    ],
)
def test_a_rule_file_is_shown_with_the_number_of_its_rules(tmp_path: Path, packs: str, counted: str) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(PACKED.format(packs=packs), encoding="utf-8")

    code, said = linted(LintRequest(files=[rules], strict=True))

    assert (code, said) == (Exit.FINE, f"{rules}: {counted}\n1 file: no problems\n")


def test_for_rules_in_the_order_of_the_file_the_advice_names_both_lines_that_the_packs_that_ship_need(
    tmp_path: Path,
) -> None:
    rules, settings = files(tmp_path, normal="true")
    text = PACKED.format(packs="").removeprefix("order: evidence\n")
    rules.write_text(text, encoding="utf-8")

    said = linted(LintRequest(files=(), settings=settings))[1]

    assert f"none of the {SHIPPED} that ship; `packs: [shipped]` with `order: evidence` adds those" in said
    assert "add `packs: [shipped]` with `order: evidence` to the file" in said
    rules.write_text(f"packs: [shipped]\norder: evidence\n{text}", encoding="utf-8")
    assert linted(LintRequest(files=[rules]))[0] is Exit.FINE


@pytest.mark.parametrize(("packs", "warned"), [("", True), ("packs: []", False), ("packs: [kubernetes]", False)])
def test_an_agent_without_any_pack_is_a_warning(tmp_path: Path, packs: str, *, warned: bool) -> None:
    rules, settings = files(tmp_path, normal="true")
    rules.write_text(PACKED.format(packs=packs), encoding="utf-8")

    code, said = linted(LintRequest(files=(), settings=settings, strict=True))

    assert code is (Exit.FINDING if warned else Exit.FINE)
    assert (f"{rules}:4:3: warning: errorCategories: no pack is used" in said) is warned
