"""The cases that have an adapter pass, and the runner tells the truth about those that do not."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from agent.documents.problem import ManifestError
from agent.manifests.categories.packs import load_categories
from tests import child
from tests.cases import adapters
from tests.cases.adapter import Adapter, expect
from tests.cases.adapters.armada_words import in_armadas_words
from tests.cases.case import Case, cases_of
from tests.cases.run import Tally, run_files

HERE = Path(__file__).parent
CLASSIFIER = HERE / "armada-classifier.json"
RETRY = HERE / "armada-retry.json"
RETRY_GROUPS = (
    "cases",
    "engine_policy_validation",
    "convert_policy",
    "server_policy_validation",
    "failure_count",
    "retry_action_json",
    "resource_mutations",
    "config_validation",
    "prototype_4804.cases",
    "prototype_4804.validation",
    "prototype_4804.extract",
    "prototype_4804.convert",
    "prototype_4634.cases",
    "prototype_4634.matcher",
    "prototype_4634.invalid",
)
"""Groups of the retry file that the project runs; the others come with later parts."""

DOCUMENT = json.loads(CLASSIFIER.read_text())
SETTINGS = frozenset({"related.handler_checks"})
GROUPS = sorted({case.path for case in cases_of(DOCUMENT, settings=SETTINGS)})


def run(*files: Path, only: tuple[str, ...] = ()) -> tuple[Tally, list[str]]:
    out = io.StringIO()
    tally = run_files(files, only=only, out=out)
    return tally, out.getvalue().splitlines()


@pytest.mark.parametrize("group", GROUPS)
def test_armadas_classifier_cases_pass(group: str) -> None:
    tally, lines = run(CLASSIFIER, only=(group,))
    assert lines[-1] == f"{tally.passed} passed, 0 failed"
    assert tally.seen == sum(case.path == group for case in cases_of(DOCUMENT, settings=SETTINGS)) > 0


@pytest.mark.parametrize("group", RETRY_GROUPS)
def test_armadas_retry_cases_pass(group: str) -> None:
    tally, lines = run(RETRY, only=(group,))
    assert lines[-1] == f"{tally.passed} passed, 0 failed", lines
    assert tally.seen > 0


def test_what_is_armadas_own_is_counted_with_its_reason() -> None:
    tally, lines = run(CLASSIFIER, only=("rule_metrics", "metric_cases"))
    assert (tally.passed, tally.failed, tally.own.total()) == (1, 0, 4)
    assert lines[-2].startswith("4 own system only: durations per rule")


CATEGORY = {"name": "bad", "rules": [{"onExitCodes": {"operator": "In", "values": [1]}}]}


def _rule(**rule: object) -> dict[str, Any]:
    return {"categories": [{"name": "bad", "rules": [rule]}]}


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"defaultCategory": "c" * 64}, f'defaultCategory "{"c" * 64}" exceeds maximum length 63'),
        ({"defaultSubcategory": "c" * 64}, f'defaultSubcategory "{"c" * 64}" exceeds maximum length 63'),
        ({"categories": [{**CATEGORY, "name": ""}]}, "category config must have a name"),
        ({"categories": [{"rules": CATEGORY["rules"]}]}, "category config must have a name"),
        ({"categories": [{**CATEGORY, "name": "c" * 64}]}, f'category name "{"c" * 64}" exceeds maximum length 63'),
        ({"categories": [CATEGORY, CATEGORY]}, 'duplicate category name "bad"'),
        ({"categories": [{"name": "bad"}]}, 'category "bad" must have at least one rule'),
        (
            {"categories": [{**CATEGORY, "action": "Remove"}]},
            'category "bad": invalid action "Remove": must be "Delete" or "Retain"',
        ),
        (
            _rule(onConditions=["OOMKilled"], subcategory="c" * 64),
            f'category "bad" rule 0: subcategory "{"c" * 64}" exceeds maximum length 63',
        ),
        (_rule(), 'category "bad" rule 0: rule must specify one of onConditions, onExitCodes'),
        (_rule(onConditions=[]), 'category "bad" rule 0: rule must specify one of onConditions, onExitCodes'),
        (
            _rule(onConditions=["OOMKilled"], onPodError={"pattern": "x"}),
            'category "bad" rule 0: rule must specify only one of onConditions',
        ),
        (
            _rule(onConditions=["Bogus"]),
            'category "bad" rule 0: unknown condition "Bogus", valid values: OOMKilled, Evicted, DeadlineExceeded',
        ),
        (
            _rule(onExitCodes={"operator": "Bad", "values": [1]}),
            'category "bad" rule 0: invalid exit code operator "Bad", must be "In" or "NotIn"',
        ),
        (
            _rule(onExitCodes={"values": [1]}),
            'category "bad" rule 0: invalid exit code operator "", must be "In" or "NotIn"',
        ),
        (
            _rule(onExitCodes={"operator": "In", "values": []}),
            'category "bad" rule 0: exit code matcher requires at least one value',
        ),
        (
            _rule(onExitCodes={"operator": "In"}),
            'category "bad" rule 0: exit code matcher requires at least one value',
        ),
        (
            _rule(onExitCodes={"operator": "In", "values": None}),
            'category "bad" rule 0: exit code matcher requires at least one value',
        ),
        ({"categories": [{"name": None, "rules": []}]}, "category config must have a name"),
        (
            _rule(onTerminationMessage={"pattern": "[x"}),
            'category "bad" rule 0: invalid onTerminationMessage regex "[x"',
        ),
        (_rule(onPodError={"pattern": "[x"}), 'category "bad" rule 0: invalid onPodError regex "[x"'),
        (
            _rule(onPodEvents={"regexp": "[x", "type": "Normal"}),
            'category "bad" rule 0: invalid onPodEvents regexp "[x"',
        ),
        (
            _rule(onPodEvents={"regexp": "x", "type": "Info"}),
            'category "bad" rule 0: invalid onPodEvents type "Info", must be "Normal" or "Warning"',
        ),
        (
            _rule(onPodEvents={"regexp": "x"}),
            'category "bad" rule 0: invalid onPodEvents type "", must be "Normal" or "Warning"',
        ),
    ],
)
def test_every_error_of_armadas_has_its_words(block: dict[str, Any], words: str) -> None:
    config = {"errorCategories": block}
    with pytest.raises(ManifestError) as raised:
        load_categories(json.dumps(config), file="f.json")
    said = [in_armadas_words(problem, config, legacy=False) for problem in raised.value.problems]
    assert any(words in one for one in said), said


def test_cases_are_found_wherever_they_stand() -> None:
    document = {
        "meta": {"counts": [{"id": "no case"}]},
        "what": "text",
        "flag": True,
        "plain": [{"id": "one"}, {"name": "two"}, {"expect": 3}, "text", 4],
        "outer": {"source": "text", "inner": [{"id": "deep"}], "shared": {"checks": [{"id": "no case"}]}},
        "cases": [{"id": "grouped", "group": "rules"}],
    }
    found = list(cases_of(document, settings=frozenset({"outer.shared"})))
    assert [(case.path, case.identity) for case in found] == [
        ("plain", "one"),
        ("plain", "two"),
        ("plain", "plain[2]"),
        ("outer.inner", "deep"),
        ("cases", "grouped"),
    ]
    assert all(case.shared == {"outer.shared": {"checks": [{"id": "no case"}]}} for case in found)
    assert [case.identity for case in found if case.belongs_to("outer")] == ["deep"]
    assert [case.identity for case in found if case.belongs_to("outer.inner")] == ["deep"]
    assert [case.identity for case in found if case.belongs_to("rules")] == ["grouped"]
    assert not [case for case in found if case.belongs_to("out")]


def test_a_run_is_found_by_the_innermost_path_or_the_cases_own_group() -> None:
    ran: list[str] = []
    adapter = Adapter(
        runs={"a": lambda _: ran.append("a"), "a.b": lambda _: ran.append("a.b"), "g": lambda _: ran.append("g")}
    )
    for path, group in [("a.b", ""), ("a.c", ""), ("x", "g")]:
        one = adapter.run_for(Case(identity="i", path=path, group=group, data={}))
        assert one is not None
        one(Case(identity="i", path=path, group=group, data={}))
    assert ran == ["a.b", "a", "g"]
    assert adapter.run_for(Case(identity="i", path="x", group="", data={})) is None


def test_a_file_without_adapter_fails_and_data_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "of-nobody.json"
    file.write_text('{"cases": [{"id": "one"}, {"id": "two"}]}')
    tally, lines = run(file, HERE / "panda-error-codes.json")
    assert lines == [
        "FAILED of-nobody.json cases: one: no adapter",
        "FAILED of-nobody.json cases: two: no adapter",
        "panda-error-codes.json is data, not cases",
        "0 passed, 2 failed",
    ]
    assert tally.failed == 2


def test_what_differs_and_what_breaks_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(case: Case) -> None:
        expect(1, case.data["got"], of="number")

    file = tmp_path / "some.json"
    file.write_text('{"a": [{"id": "right", "got": 1}, {"id": "wrong", "got": 2}, {"id": "broken"}]}')
    monkeypatch.setattr("tests.cases.run.adapter_for", lambda _: Adapter(runs={"a": check}))
    _, lines = run(file)
    assert lines == [
        "FAILED some.json a: wrong: number: expected 1, got 2",
        "FAILED some.json a: broken: KeyError: 'got'",
        "1 passed, 2 failed",
    ]


def test_an_adapter_is_found_by_the_files_name() -> None:
    assert adapters.adapter_for(CLASSIFIER) is not None
    assert adapters.adapter_for(Path("elsewhere/armada-classifier.json")) is adapters.adapter_for(CLASSIFIER)
    assert adapters.adapter_for(Path("of-nobody.json")) is None


@pytest.mark.slow
@pytest.mark.parametrize(("only", "code"), [("match_pattern", 0), ("broken", 1), ("of_nobody", 2)])
def test_the_command_says_by_its_exit_code(only: str, code: int, tmp_path: Path) -> None:
    file = tmp_path / CLASSIFIER.name
    file.write_text(json.dumps(DOCUMENT | {"broken": [{"id": "nobody runs it"}]}))
    command = [sys.executable, "-m", "tests.cases", "run", str(file), "--only", only]
    done = child.run(command, cwd=HERE.parents[1])
    assert done.returncode == code
    assert done.stdout.splitlines()[-1].endswith(" failed")


def _size(value: object) -> int:
    """How many cases there are, however deep their lists stand."""
    if isinstance(value, dict):
        return sum(_size(inner) for inner in value.values())
    return len(value) if isinstance(value, list) else 0


def test_jobset_cases_pass() -> None:
    file = HERE / "jobset-failure-policy.json"
    tally, lines = run(file)
    assert lines == [f"{tally.passed} passed, 0 failed"]
    assert tally.seen == sum(_size(cases) for group, cases in json.loads(file.read_text()).items() if group != "meta")


@pytest.mark.parametrize("name", ["k8s-backoff", "k8s-indexed", "k8s-job-validation", "k8s-pod-failure-policy"])
def test_kubernetes_cases_pass(name: str) -> None:
    file = HERE / f"{name}.json"
    tally, lines = run(file)
    groups = json.loads(file.read_text())
    assert lines == [f"{tally.passed} passed, 0 failed"]
    assert tally.seen == sum(len(cases) for group, cases in groups.items() if group != "meta")


def test_pandas_cases_pass_in_both_modes_and_what_was_put_aside_is_counted() -> None:
    tally, lines = run(HERE / "panda-retry.json")
    assert (lines[-1], tally.seen) == (f"{tally.passed} passed, 0 failed", tally.passed)
    assert tally.seen == len(json.loads((HERE / "panda-retry.json").read_text())["cases"])
    assert sum(tally.apart.values()) <= tally.seen // 10
    assert all(f"{count} counted apart: {reason}" in lines for reason, count in tally.apart.items())


def test_harvesters_cases_pass() -> None:
    tally, lines = run(HERE / "harvester-kubernetes.json")
    assert lines == [f"{tally.passed} passed, 0 failed"]
    assert tally.seen == len(json.loads((HERE / "harvester-kubernetes.json").read_text())["cases"])


def test_no_pod_says_nothing(tmp_path: Path) -> None:
    expected = {"message": "", "kubernetesReason": "AppError", "containerErrors": []}
    file = tmp_path / CLASSIFIER.name
    case = {"id": "nil pod", "pod": None, "expect": expected}
    file.write_text(json.dumps({"related": {"pod_status_extraction": [case]}}))

    assert run_files([file], only=(), out=io.StringIO()) == Tally(passed=1)
